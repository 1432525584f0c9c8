"""Random programs have every construct beside every other: what never meets is never tested together."""

from __future__ import annotations

from functools import cache

from tests.support.constructs import CONSTRUCTS, Table, occurrences, parsed, programs, shown, table

SEEDS = range(500)
NESTED = {
    "atomic": ("handshake send", "handshake receive", "send", "receive", "len", "probe", "poll", "unless", "d_step"),
    "d_step": ("handshake receive", "send", "receive", "len", "else beside message", "if"),
    "unless main": ("handshake send", "handshake receive", "send", "receive", "atomic", "d_step", "assert"),
    "unless escape": ("handshake send", "handshake receive", "send", "receive", "len", "timeout", "d_step", "atomic"),
    "guard": ("handshake send", "handshake receive", "sorted send", "random receive", "peek", "enabled", "timeout"),
    "message": ("len", "poll", "_pid", "_nr_pr", "conditional", "remote variable"),
    "pattern": ("len", "_pid", "conditional"),
    "index": ("len", "_pid", "poll"),
    "assert": ("len", "probe", "poll", "remote variable", "remote label", "enabled"),
    "conditional": ("len", "poll", "remote label"),
    "provided": ("len",),
}
"""What must occur inside of what."""


@cache
def found() -> Table:
    return table(programs(SEEDS))


def test_every_construct_occurs() -> None:
    assert [name for name in CONSTRUCTS if found().single[name] < 5] == []


def test_nearly_every_program_is_accepted() -> None:
    assert found().rejected <= found().programs // 100


def test_every_pair_occurs() -> None:
    assert found().missing() == [], "\n" + shown(found())


def test_constructs_occur_inside_of_each_other() -> None:
    wanted = [(outer, inner) for outer, inners in NESTED.items() for inner in inners]
    assert [pair for pair in wanted if not found().nested[pair]] == []


def test_what_a_program_has() -> None:
    program = """
    chan rv = [0] of { byte }; chan q = [1] of { byte }; byte g, a[3];
    active proctype P() { byte m[2]; atomic { g = 1; rv!len(q) } }
    active proctype Q() { if :: rv?eval(g) :: else -> d_step { q?1; a[_pid] = 1 } fi }
    """
    pairs = set(occurrences(parsed(program)))
    assert {("handshake send", ("atomic",)), ("len", ("atomic", "message")), ("stalling atomic", ())} <= pairs
    assert {("eval", ("guard",)), ("else beside message", ()), ("waiting d_step", ())} <= pairs
    assert {
        ("constant pattern", ("d_step",)),
        ("array by pid", ("d_step",)),
        ("local array", ()),
        ("array", ()),
    } <= pairs
