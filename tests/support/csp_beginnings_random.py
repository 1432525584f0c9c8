"""Random CSP# files whose system does something before its sides exist, as with an initialisation.

python -m tests.support.csp_beginnings_random SEED         print a file
"""

from __future__ import annotations

import sys

from tests.support.csp_random import HEAD, Writer

FIRST = (
    "(e1 -> Skip); ", "Q; ", "P(1); ", "e3{x = 2; a[0] = 0;} -> ", "([]k:{0..1}@(tau{a[0] = k; a[1] = 1 - k;} -> Skip)); ",
    "e1 -> Q; ", "e1 -> e3{a[1] = 0;} -> ", "P(0); e1 -> ", "([]k:{0..1}; l:{0..1}@(e2.k{a[k] = l;} -> Skip)); ", "d!1 -> Skip; ",
    "(e1 -> Skip [] Skip); ", "(if (x == 1) { e1 -> Skip } else { Stop }); ",
)  # fmt: skip
SIDES = (
    "|||i:{0..1}@P(i)", "P(0) ||| P(1)", "|||{2}@P(0)", "|||{3}@Q", "P(0) ||| Q", "|||i:{0..1}@(e2.i{a[i] = 1 - a[i];} -> P(i))",
    "P(0) ||| P(1) ||| Q", "R(0, 1) ||| R(1, 0)",
)  # fmt: skip


class BeginningWriter(Writer):
    def text(self) -> str:
        pick = self.random.choice
        self.atomic, self.side_by_side = self.random.random() < 0.05, True
        first, sides = pick(FIRST), pick(SIDES)
        if self.atomic:
            first = "atomic{e1 -> e3 -> Skip}; "
        lines = [HEAD, f"P(i) = {self.process(2, ['i'])};", f"Q = {self.process(2, [])};"]
        lines.append(f"R(i, j) = {self.prefix(1, ['i', 'j'])};")
        if self.open:
            lines += ["#alphabet P {e1, e2.0};", "#alphabet Q {e1, e2.1};", "#alphabet R {e2.0, e2.1, e3};"]
        lines += [f"Par = {sides};", f"System = {first}{pick(['Par', f'({sides})'])};"]
        return "\n".join([*lines, "#assert System deadlockfree;", "#assert System |= [] <> e1;"]) + "\n"


def generate(seed: int) -> str:
    """A random file; the same seed always gives the same text."""
    return BeginningWriter(seed).text()


if __name__ == "__main__":
    print(generate(int(sys.argv[1])))
