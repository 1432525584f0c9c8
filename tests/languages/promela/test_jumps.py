"""Jumps into and out of `d_step`: what is refused, SPIN refuses, too."""

from __future__ import annotations

from pathlib import Path

import pytest

import coset
from coset.source.diagnostics import InputError
from tests.support.spin_accepts import spin_accepts

REFUSED = {
    "at its end": "d_step { x = 3; goto done }; x = 44; done: assert(x == 3)",
    "from its middle": "d_step { x = 3; goto done; x = 4 }; x = 44; done: assert(x == 3)",
    "to what follows": "d_step { x = 3; goto done; x = 4 }; done: assert(x == 3)",
    "at its beginning": "d_step { goto done; x = 1 }; x = 44; done: assert(x == 0)",
    "from an option": "d_step { if :: x == 0 -> goto done :: else -> x = 5 fi }; x = 44; done: assert(x == 0)",
    "to itself": "L: d_step { x < 5 -> x++; goto L }; assert(x == 4)",
    "a break": "do :: d_step { x = 3; break } od; assert(x == 4)",
    "a break in an option": "do :: d_step { x < 3 -> x++; if :: x == 2 -> break :: else fi } od; assert(x == 4)",
    "a break after a guard": "do :: d_step { x == 0 -> break } od; assert(x == 4)",
    "a jump into it": "if :: goto L :: skip fi; d_step { x = 1; L: x = 2 }",
}
ACCEPTED = {
    "a loop by goto": "d_step { x = 1; L: x++; if :: x < 5 -> goto L :: else fi }; assert(x == 5)",
    "a loop that is left": "d_step { do :: x < 5 -> x++; if :: x == 3 -> break :: else fi od }; assert(x == 3)",
    "a jump to its end": "d_step { if :: goto L :: x = 1 fi; x = 2; L: x = 9 }; assert(x == 9)",
    "a jump out of atomic": "atomic { x = 1; goto L }; x = 2; L: assert(x == 1)",
    "a break out of atomic": "do :: atomic { x == 0 -> x = 1; break } od; assert(x == 1)",
}


def program(body: str) -> str:
    return f"byte x; active proctype P() {{ {body} }}"


@pytest.mark.parametrize("name", REFUSED)
def test_what_spin_refuses(name: str, tmp_path: Path) -> None:
    """The jump was lost: control went on behind the d_step."""
    text = program(REFUSED[name])
    assert not spin_accepts(text, tmp_path)
    with pytest.raises(InputError, match="F001"):
        coset.parse_text(text)


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_spin_accepts(name: str, tmp_path: Path) -> None:
    text = program(ACCEPTED[name])
    assert spin_accepts(text, tmp_path)
    assert coset.parse_text(text).check()["assertions"].verdict.value == "holds"
