"""Random CSP# files with copies of a process: counted (`|||{n}@P`), or definitions copied and renamed, some with a difference.

python -m tests.support.csp_copies_random SEED         print a file
"""

from __future__ import annotations

import sys

from tests.support.csp_random import HEAD, Writer

COUNTED = (
    "|||{2}@Q", "|||{3}@Q", "|||{2}@P(1)", "|||{3}@P(0)", "(|||{2}@P(1)) ||| Q", "|||{2}@P(0) ||| P(1)",
    "|||{2}@P(0) ||| |||{2}@P(1)", "|||{3}@(e1 -> Q)", "|||{2}@(P(0); Q)", "|||i:{0..1}@(|||{2}@P(i))",
)  # fmt: skip
RENAMED = (
    "Q ||| Q2",
    "Q ||| Q2 ||| P(0)",
    "|||{2}@Q ||| |||{2}@Q2",
    "P(0) ||| P2(0)",
    "P(0) ||| P(1) ||| P2(0) ||| P2(1)",
)


class CopyWriter(Writer):
    def text(self) -> str:
        pick = self.random.choice
        self.atomic = False
        is_counted = self.random.random() < 0.5
        system = pick(COUNTED if is_counted else RENAMED)
        self.side_by_side = True
        p, q = self.process(2, ["i"]), self.process(2, [])
        lines = [HEAD, f"P(i) = {p};", f"Q = {q};", f"R(i, j) = {self.prefix(1, ['i', 'j'])};"]
        if not is_counted:
            lines += [f"P2(i) = {self.renamed(p)};", f"Q2 = {self.renamed(q)};"]
        if self.open:
            lines += ["#alphabet P {e1, e2.0};", "#alphabet Q {e1, e2.1};", "#alphabet R {e2.0, e2.1, e3};"]
        return "\n".join([*lines, f"System = {system};", "#assert System deadlockfree;"]) + "\n"

    def renamed(self, text: str) -> str:
        """The body of the copy.  It has its own names, uses the other element of an array, or differs in one operation."""
        text = text.replace("Q", "Q2").replace("P(", "P2(")
        change = self.random.choice(["", "events", "elements", "values", "guard"])
        match change:
            case "events":
                return text.replace("e3", "f3")
            case "elements":
                return text.replace("a[0]", "a[@]").replace("a[1]", "a[0]").replace("a[@]", "a[1]")
            case "values":
                return text.replace("x = ", "x = 2 - ", 1)
            case "guard":
                return text.replace("x == 0", "x == 1", 1)
        return text


def generate(seed: int) -> str:
    """A random file; the same seed always gives the same text."""
    return CopyWriter(seed).text()


if __name__ == "__main__":
    print(generate(int(sys.argv[1])))
