"""Networks that were made to have something proved that is wrong: for each of them some network violates the formula.

Most of these were once proved.  Each says what abs(m) would have wrong.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from coset.features.load import load
from coset.features.prove import conditions, moved, prove, question
from coset.features.verify import Formula, Limits, specification, verify
from coset.languages.features.abstract import abstracted
from coset.languages.features.load import flow_of
from coset.languages.features.tree import Network
from coset.results.verdict import Verdict
from coset.source.diagnostics import InputError

PAIRS = "2: node <- [1] of {mtype, pid}\n"
BITS = "2: node <- [1] of {bit, pid}\n"
GLOBALS = "mtype = { ping, pong };\nbit flag[NCOMP];\n"
SAFE = "[] (flag[1] == 0)"
WRITE = ":: atomic { if :: for i in node { lookup(i, out) } fi }; atomic { nfull(out) -> out!ping,_pid; out = in }\n"
TWO = (
    "pid x, y; byte a[2]; chan out;\ndo\n" + WRITE + ":: atomic { in?_,x }\n"
    ":: atomic { x != 0 && x != _pid && y == 0 -> y = x; x = 0 }\n"
    ":: atomic { x != 0 && y != 0 && x != _pid && STRANGERS -> flag[_pid] = 1 }\nod"
)
"""x and y become two components that have written, other than this one."""


@dataclass(frozen=True)
class Trap:
    name: str
    node: str
    size: int
    """A network of that size violates the formula."""
    formula: str = SAFE
    procs: str = PAIRS
    globals: str = GLOBALS
    hub: str = ""
    others: str = "none"
    features: dict[str, tuple[tuple[int, ...], ...]] = field(default_factory=dict)
    """With these features of components that abs(m) does not keep."""

    def written(self, folder: Path) -> Path:
        files = {"procs.def": self.procs, "globals.def": self.globals, "node.tmpl": self.node}
        for name, text in (files | ({"hub.tmpl": self.hub} if self.hub else {})).items():
            (folder / name).write_text(text)
        return folder


def two(condition: str) -> str:
    return TWO.replace("STRANGERS", condition)


TRAPS = [
    Trap("two strangers differ", two("x != y"), 3),
    Trap("in arithmetic", two("-(x != y)"), 3),
    Trap("in a conditional expression", two("(flag[_pid] == 0 -> x != y : false)"), 3),
    Trap("in an index", two("a[x != y]").replace("do\n", "a[1] = 1;\ndo\n", 1), 3),
    Trap("in the index of what is set", two("a[0] == 0").replace("flag[_pid] = 1", "a[x != y] = 1; flag[_pid] = a[1]"), 3),
    Trap(
        "in a pattern",
        "pid x, y; chan out;\ndo\n" + WRITE.replace("!ping", "!1") + ":: atomic { in?_,x }\n"
        ":: atomic { x != 0 && x != _pid && y == 0 -> y = x; x = 0 }\n"
        ":: x != 0 && y != 0 && x != _pid -> in?eval(x != y),_; flag[_pid] = 1\nod", 3, procs=BITS,
    ),
    Trap(
        "an array of components in a record",
        "pid x, y; chan out;\ndo\n" + WRITE + ":: atomic { in?_,x -> if :: x != _pid && y == 0 -> y = x; m[_pid].got[x] = 1\n"
        ":: x != _pid && y != 0 && !m[_pid].got[x] -> flag[_pid] = 1 :: else -> skip fi; x = 0 }\nod",
        3, globals=GLOBALS + "typedef M { bit got[NCOMP] };\nM m[NCOMP];\n",
    ),
    Trap(
        "a component in a record", "pid x; chan out;\ndo\n" + WRITE + ":: atomic { in?_,x -> r[_pid].who = x; x = 0 }\nod",
        3, "[] (r[1].who != 3)", globals=GLOBALS + "typedef R { pid who };\nR r[NCOMP];\n",
    ),
    Trap("the number of components in the formula", "do :: n[_pid] < 9 -> n[_pid] = n[_pid] + 1 od", 1,
         "[] (n[1] != NCOMP + 7)", globals="byte n[NCOMP];\n"),
    Trap("the number of components by another name", "do :: n[_pid] < 9 -> n[_pid] = n[_pid] + 1 od", 1,
         "[] (n[1] != ALL + 7)", globals="#define ALL NCOMP\nbyte n[NCOMP];\n"),
    Trap("the number of components in a variable", "n[_pid] == 5 -> flag[_pid] = 1", 4,
         globals=GLOBALS + "byte n[NCOMP] = NCOMP;\n"),
    Trap("the number of components in a condition of the preprocessor", "n[_pid] == 1 -> flag[_pid] = 1", 4,
         globals=GLOBALS + "#if NCOMP > 4\nbyte n[NCOMP] = 1;\n#else\nbyte n[NCOMP];\n#endif\n"),
    Trap(
        "a number that no mtype has",
        "mtype k = 9; pid x; chan out;\ndo\n" + WRITE.replace("!ping", "!k") + ":: in?ping,x :: in?pong,x\n"
        ":: in?9,x; atomic { x != _pid -> flag[_pid] = 1 }\nod", 2,
    ),
    Trap(
        "a channel that is looked at, and then another one is sent to",
        """pid x; chan out;
        do
        :: atomic { if :: for i in node { lookup(i, out) } fi }
        :: atomic { full(out) -> if :: for i in node { lookup(i, out) } fi;
            if :: nfull(out) -> out!pong,_pid :: full(out) -> skip fi }
        :: atomic { U[_pid] && nfull(in) -> in!ping,_pid }
        :: atomic { in?pong,x -> if :: x != _pid -> flag[_pid] = 1 :: else -> skip fi }
        od""",
        2, others="any", features={"U": ((2,),)},
    ),
    Trap(
        "a way around a jump",
        """pid x, y; chan out; bit b;
        start: do
        :: atomic { if :: for i in node { lookup(i, out) } fi }
        :: b = 1
        :: atomic { nfull(out) -> if :: b == 1 -> if :: x == _pid -> goto start :: else -> y = _pid fi :: else -> y = 0 fi;
            out!pong,y; y = 0 }
        :: atomic { in?_,y -> if :: y != _pid && y != 0 -> flag[_pid] = 1 :: else -> skip fi; y = 0 }
        od""", 2,
    ),
    Trap(
        "what is in the own channel of an abstracted component",
        """chan out = in; bit x;
        do
        :: atomic { if :: for i in node { lookup(i, out) } fi }
        :: atomic { U[_pid] && nfull(in) -> in!0,_pid }
        :: atomic { nfull(out) -> out!len(in),_pid }
        :: atomic { in?x,_ -> if :: x == 1 -> flag[_pid] = 1 :: else -> skip fi }
        od""", 2, procs=BITS, others="any", features={"U": ((2,),)},
    ),
    Trap(
        "the length of the own channel in arithmetic",
        """chan out = in; bit x;
        do
        :: atomic { if :: for i in node { lookup(i, out) } fi }
        :: atomic { U[_pid] && nfull(in) -> in!0,_pid }
        :: atomic { len(in) + 1 == 2 && nfull(out) -> out!1,_pid }
        :: atomic { in?x,_ -> if :: x == 1 -> flag[_pid] = 1 :: else -> skip fi }
        od""", 2, procs=BITS, others="any", features={"U": ((2,),)},
    ),
]  # fmt: skip


def claimed(network: Network, formula: Formula, kept: int, others: str) -> bool:
    """Whether the formula is proved."""
    network = moved(network, kept)
    if list(conditions(network, formula, kept)):
        return False
    text = abstracted(network, flow_of(network), kept, others == "any", [(formula.name, formula.text)])
    (found,) = verify(text, "abs.pml", [formula], Limits(engine="reference"))
    return found.verdict is Verdict.HOLDS


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.name)
def test_traps(trap: Trap, tmp_path: Path) -> None:
    network, _ = load(trap.written(tmp_path))
    assert not claimed(network, Formula("p", trap.formula), 1, trap.others)


@pytest.mark.long
@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.name)
def test_traps_are_traps(trap: Trap, tmp_path: Path) -> None:
    """Some network violates what must not be proved."""
    network, _ = load(trap.written(tmp_path))
    larger = moved(network, trap.size).featured(trap.features)
    formula = Formula("p", trap.formula)
    (found,) = verify(specification(larger, [formula]), "trap.pml", [formula], Limits())
    assert found.verdict is Verdict.VIOLATED
    assert prove(network, formula, others=trap.others).verdict is not Verdict.HOLDS


@pytest.mark.parametrize(
    ("procs", "globals_", "code"),
    [
        (PAIRS, "pid boss[NCOMP] = 4;\n", "W011"), (PAIRS, "typedef R { pid who = 2 };\nR r[NCOMP];\n", "W011"),
        ("2: node <- [1] of {mtype, chan}\n", "", "W015"),
        ("2: node <- [1] of {R}\n", "typedef R { chan c };\n", "W015"),
    ],
)  # fmt: skip
def test_what_would_tell_components_apart(tmp_path: Path, procs: str, globals_: str, code: str) -> None:
    with pytest.raises(InputError, match=code):
        load(Trap("", "skip", 1, procs=procs, globals=globals_).written(tmp_path))


def test_components_of_other_types_have_other_numbers_in_other_networks(tmp_path: Path) -> None:
    """Component 3 is the hub of this network, and a node of larger ones."""
    files = Trap(
        "", "flag[_pid] = 0", 1, procs="2: node <- [1] of {pid}\n1: hub <- [1] of {pid}\n", hub="flag[_pid] = 1"
    )
    folder = files.written(tmp_path)
    (folder / "properties.def").write_text(
        "quiet(h in hub, i), forall k: [] (flag[h] == 0 && flag[k] == 0 && flag[i] == 0)\n"
    )
    network, properties = load(folder)
    for kept in (None, 3):
        direct = prove(network, Formula("p", "[] (flag[3] == 0)"), kept=kept)
        assert (
            direct.verdict is Verdict.UNKNOWN and "no components of type" in direct.reasons[0] and not direct.attempts
        )
        larger, formula, extra = question("quiet(3,2)", network, properties, "none", kept)
        assert prove(larger, formula, kept=kept, extra=extra).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("name", ["ABS", "linkABS", "Abstract"])
def test_names_of_the_abstraction_are_not_taken(tmp_path: Path, name: str) -> None:
    network, _ = load(Trap("", f"bit {name}; {name} == 0 -> flag[_pid] = 0", 1).written(tmp_path))
    assert any("meaning of its own" in str(each) for each in conditions(moved(network, 1), Formula("p", SAFE), 1))
