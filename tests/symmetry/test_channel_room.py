"""Loops that send to all channels of an array, and loops that search for an extreme value, as one symmetric step."""

from __future__ import annotations

import pytest

import coset
from coset.symmetry.loop_summaries import summarised
from coset.symmetry.methods.program.detect import detect
from tests.support import sends_random
from tests.support.summaries import orders, same_steps
from tests.support.unreduced import compared

MODEL = """
byte num[3], top; chan to[3] = [{room}] of {{ byte }};
active [3] proctype P() {{ end: do :: to[_pid]?_ :: num[_pid] = 1 - num[_pid] od }}
active proctype Boss() {{ byte i; {body} }}
"""
LOOP = "for (i : 0 .. 2) { to[i]!1 }; i = 0"
EMPTY = "empty(to[0]) && empty(to[1]) && empty(to[2])"


def order(body: str, room: int = 1) -> int:
    model = coset.parse_text(MODEL.format(body=body, room=room))
    same_steps(model)
    return compared(model, counts=False).used.group.order


def test_no_more_messages_than_room() -> None:
    assert order(f"atomic {{ {LOOP} }}; end: false") == 6
    assert order(f"atomic {{ {LOOP} }}; atomic {{ {LOOP} }}; end: false", room=2) == 6
    assert order(f"if :: atomic {{ {LOOP} }} :: atomic {{ {LOOP} }} fi; end: false") == 12, "one or the other"


def test_too_many_messages() -> None:
    assert order(f"atomic {{ {LOOP} }}; atomic {{ {LOOP} }}; end: false") == 1
    assert order(f"end: do :: atomic {{ {LOOP} }} od", room=2) == 1
    assert order(f"to[1]!0; atomic {{ {LOOP} }}; end: false") < 6


def test_room_by_a_guard() -> None:
    assert order(f"end: do :: atomic {{ {EMPTY} -> {LOOP} }} od") == 6
    assert order(f"end: do :: atomic {{ {EMPTY.replace('empty', 'nfull')} -> {LOOP} }} od", room=2) == 6
    assert order(f"end: do :: d_step {{ {EMPTY} -> {LOOP} }} od") == 6
    assert order("end: do :: atomic { empty(to[0]) && empty(to[1]) -> " + LOOP + " } od") < 6
    assert order(f"end: do :: atomic {{ {EMPTY} -> {LOOP}; {LOOP} }} od") < 6


def test_messages_to_all_others() -> None:
    """Each process sends to all but itself."""
    text = """
    byte got[3]; chan to[3] = [3] of { bit };
    active [3] proctype P() {
      byte i;
      atomic { for (i : 0 .. 2) { if :: i != _pid -> to[i]!1 :: else fi }; i = 0 };
      end: do :: to[_pid]?_ -> got[_pid] = 1 - got[_pid] od
    }
    """
    model = coset.parse_text(text)
    assert same_steps(model) and detect(model, ()).order == 6 and compared(model).used.group.order == 6


@pytest.mark.parametrize(
    "body", ["if :: num[i] > top -> top = num[i] :: else fi", "top = (top < num[i] -> num[i] : top)"]
)
@pytest.mark.parametrize("block", ["atomic", "d_step"])
def test_extreme_values(body: str, block: str) -> None:
    loop = f"for (i : 0 .. 2) {{ {body} }}; i = 0"
    assert order(f"end: do :: {block} {{ {loop} }} :: top = 0 od") == 6
    with_id = loop.replace("top = num[i] ::", "top = i ::").replace("num[i] : top", "i : top")
    assert order(f"end: do :: {block} {{ {with_id} }} :: top = 0 od") < 6


def test_a_channel_that_is_passed_on() -> None:
    """Another process may send to it by another name."""
    text = MODEL.format(body=f"chan other = to[0]; other!1; atomic {{ {LOOP} }}; end: false", room=1)
    model = coset.parse_text(text)
    assert summarised(model) is model


@pytest.mark.parametrize("seeds", [range(40)], ids=str)
def test_random_programs(seeds: range) -> None:
    symmetric = sum(is_read and order > 1 for is_read, order in orders(sends_random.generate, seeds))
    assert symmetric > len(seeds) // 5
