"""Confusions of types: what is refused, SPIN refuses, too."""

from __future__ import annotations

from pathlib import Path

import pytest

import coset
from coset.source.diagnostics import InputError
from tests.support.spin_accepts import spin_accepts

SETS = "mtype = { A, B }; mtype:x = { C, D }; mtype m; mtype:x n; byte b; chan c = [1] of { byte };\n"
REFUSED = {
    "a number for a channel": "active proctype P() { c = 1 }",
    "a name for a channel": "active proctype P() { c = A }",
    "a number for a channel in an array": "chan d[2]; active proctype P() { d[0] = 0 }",
    "a channel as a counter of select": "active proctype P() { select (c : 1 .. 2) }",
    "a channel as a counter of for": "active proctype P() { for (c : 1 .. 2) { skip } }",
    "a name of another set": "active proctype P() { n = A }",
    "a byte for an mtype": "proctype P(mtype k) { skip } init { run P(b) }",
    "a number of a process for an mtype": "proctype P(mtype k) { skip } init { run P(_pid) }",
    "an mtype of another set": "proctype P(mtype:x k) { skip } init { run P(m) }",
    "a channel for an mtype": "proctype P(byte i; mtype k) { skip } init { run P(1, c) }",
}
ACCEPTED = {
    "a number for an mtype": "active proctype P() { m = 1; m = b; b = A; m == 1 }",
    "a variable for a channel": "active proctype P() { c = b; b = c; c = b + 1 }",
    "a number in a record": "typedef T { chan e }; T t; active proctype P() { t.e = 1 }",
    "a name for a set without a name": "active proctype P() { m = C; m = n; n = m }",
    "an mtype for a byte": "proctype P(byte k) { skip } init { run P(m); run P(A) }",
    "a number for a parameter": "proctype P(mtype k) { skip } init { run P(1) }",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_spin_refuses(name: str, tmp_path: Path) -> None:
    text = SETS + REFUSED[name]
    assert not spin_accepts(text, tmp_path)
    with pytest.raises(InputError, match="T016"):
        coset.parse_text(text)


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_spin_accepts(name: str, tmp_path: Path) -> None:
    text = SETS + ACCEPTED[name]
    assert spin_accepts(text, tmp_path)
    coset.parse_text(text)


def test_a_variable_for_an_mtype_is_right_although_spin_refuses_it() -> None:
    coset.parse_text(SETS + "proctype P(mtype k) { skip } init { run P(m) }")
