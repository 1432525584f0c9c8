"""Random featured networks that are small enough for five components, and whether what is proved of them is so.

Nodes ask a hub, which answers them, passes on what they say to others, or drops it.  At most a few messages are under way, so
that the states of five nodes can be counted by the interpreter's own speed.  The parts are those in which abs(m) knows less
than a network: comparisons of ids, features of others, channels that are full, messages with ids in them, jumps.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from coset.features.load import load
from coset.features.prove import conditions, moved
from coset.features.verify import Formula, Limits, Outcome, specification, verify
from coset.languages.features.abstract import abstracted
from coset.languages.features.load import flow_of
from coset.languages.features.obstacle import NotAbstractable
from coset.languages.features.tree import Network
from coset.results.verdict import Verdict
from coset.source.diagnostics import InputError

NODE = """pid x; bit b; chan out;
atomic {{ if :: for h in hub {{ lookup(h, out) }} fi }};
start: do
:: atomic {{ {ask} && {room} -> {choose}; out!{word},{said}; {asked}; x = 0 }}
:: atomic {{ {heard} -> if :: {test} -> {yes} :: else -> {no} fi; x = 0 }}
:: atomic {{ {alone} -> {idle} }}
od;
aside: skip; goto start
"""
HUB = """pid x, y; mtype w; chan out;
start: do
:: atomic {{ in?w,x -> if :: {hub_test} -> {hub_yes} :: else -> {hub_no} fi; lookup(y, out) }};
    {deliver}
od
"""
DELIVER = [
    "atomic { nfull(out) -> out!w,{answer}; x = 0; y = 0; w = 0; out = in }",
    "atomic { if :: nfull(out) -> out!w,{answer} :: full(out) -> skip fi; x = 0; y = 0; w = 0; out = in }",
    "atomic { if :: empty(out) -> out!w,{answer} :: nempty(out) -> {again}; out!w,{answer} fi; x = 0; y = 0; w = 0; out = in }",
    "out!w,{answer}; atomic { x = 0; y = 0; w = 0; out = in }",
    "if :: atomic { B[y].to[x] -> skip } :: atomic { !B[y].to[x] && nfull(out) -> out!w,{answer} } fi; "
    "atomic { x = 0; y = 0; w = 0; out = in }",
]  # fmt: skip
EFFECTS = ["flag[_pid] = 1", "seen[_pid] = x", "b = 1", "b = 0", "skip", "goto aside", "flag[_pid] = 1; goto aside"]
TESTS = [
    "x == _pid", "x != _pid", "x != 0", "U[x]", "!U[x] && x != _pid", "B[_pid].to[x]", "B[x].to[_pid]", "!B[x].to[_pid]",
    "seen[_pid] != x", "seen[_pid] == x && x != 0", "b == 1 && x != _pid", "full(out)", "nempty(in)",
]  # fmt: skip
FORMULAS = [
    "[] (flag[1] == 0)", "[] (seen[1] != 2)", "[] (seen[1] != 1)", "[] (seen[1] == 0 || seen[1] == 1)", "[] !node[1]@aside",
    "[] (node[1]@aside -> flag[1] == 1)", "[] (len(link1) == 0 || flag[1] == 0)", "(seen[1] == 0) W (flag[1] == 1)",
    "[] (flag[1] == 1 -> seen[1] == 2)", "[] !(node[1]@aside && node[2]@aside)", "[] (seen[1] == 2 -> flag[2] == 0)",
    "[] (node[1]@aside -> <> !node[1]@aside)", "[] !(seen[1] == 2 && seen[2] == 1)", "<> (flag[1] == 1) || [] (seen[1] == 0)",
]  # fmt: skip


def written(rng: random.Random, folder: Path) -> Path:
    pick = rng.choice
    node = NODE.format(
        ask=pick(["b == 0", "empty(in)", "flag[_pid] == 0", "!U[_pid]", "U[_pid] && b == 0", "b == 0 && seen[_pid] == 0"]),
        room=pick(["nfull(out)", "empty(out)", "nfull(out) && empty(in)"]),
        choose=pick([
            "if :: for i in node { x = i } fi", "x = _pid", "x = seen[_pid]",
            "if :: for i in node { i != _pid -> x = i } :: else -> skip fi",
            "if :: for i in node { B[_pid].to[i] -> x = i } :: else -> x = _pid fi",
            "if :: for i in node { U[i] -> x = i } :: else -> x = 0 fi",
        ]),
        word=pick(["ping", "pong"]), said=pick(["x", "_pid", "_pid"]), asked=pick(["b = 1", "b = 1", "skip"]),
        heard=pick(["in?_,x", "in?ping,x", "in?pong,x", "in?eval(ping),x", "in?<_,x>; in?_,x", "in??ping,x"]),
        test=pick(TESTS), yes=pick(EFFECTS), no=pick(EFFECTS),
        alone=pick(["b == 1 && empty(in)", "full(out)", "len(out) == 0 && b == 1", "nempty(in) && full(out)", "U[_pid]"]),
        idle=pick(["b = 0", "b = 0; goto aside", "flag[_pid] = 0; b = 0"]),
    )  # fmt: skip
    hub = HUB.format(
        hub_test=pick(["x != 0", "U[x]", "w == ping", "B[x].to[y]", "nempty(in)", "x == y"]),
        hub_yes=pick([
            "y = x", "if :: for i in node { y = i } fi", "if :: for i in node { i != x -> y = i } :: else -> y = x fi",
        ]),
        hub_no=pick([
            "y = x", "if :: for i in node { U[i] -> y = i } :: else -> y = x fi",
            "if :: for i in node { B[i].to[x] -> y = i } :: else -> y = x; w = pong fi",
        ]),
        deliver=pick(DELIVER).replace("{answer}", pick(["x", "y"])).replace("{again}", "nfull(out)"),
    )  # fmt: skip
    counts = f"2: node <- [1] of {{mtype, pid}}\n1: hub <- [{pick([1, 1, 2])}] of {{mtype, pid}}"
    files = {
        "procs.def": counts, "node.tmpl": node, "hub.tmpl": hub,
        "globals.def": "mtype = { ping, pong };\npid seen[NCOMP];\nbit flag[NCOMP];",
    }  # fmt: skip
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def random_members(rng: random.Random, network: Network, hosts: list[int], chance: float) -> Network:
    """The network with random features of some components, besides those that it has."""
    ids = network.ids(network.definitions[0].name)
    members = {}
    for feature in network.features:
        more = [(host,) for host in hosts] if feature.arity == 1 else [(h, p) for h in hosts for p in ids if h != p]
        chosen = (member for member in more if rng.random() < (chance if feature.arity == 1 else chance / 2))
        members[feature.name] = tuple(dict.fromkeys((*feature.members, *chosen)))
    return network.featured(members)


def larger_networks(
    rng: random.Random, network: Network, kept: int, size: int, others: str, tries: int
) -> Iterator[Network]:
    """Networks of a size, the components that are kept with their features and the others with none, or random ones."""
    larger = moved(network, size)
    yield larger
    for _ in range(tries if others == "any" and size > kept else 0):
        yield random_members(rng, larger, list(range(kept + 1, size + 1)), rng.choice([0.2, 0.5]))


def decided(text: str, formula: Formula, limits: Limits) -> Outcome:
    """A verdict by the interpreter if there are few states, else by the compiled engine."""
    (found,) = verify(text, "network.pml", [formula], replace(limits, engine="reference", states=1000))
    if found.verdict is Verdict.UNKNOWN:
        (found,) = verify(text, "network.pml", [formula], limits)
    return found


def proved(network: Network, formula: Formula, kept: int, others: str, limits: Limits) -> bool:
    """Whether abs(m) proves a formula."""
    if list(conditions(network, formula, kept)):
        return False
    try:
        text = abstracted(network, flow_of(network), kept, others == "any", [(formula.name, formula.text)])
    except NotAbstractable:
        return False
    return decided(text, formula, limits).verdict is Verdict.HOLDS


def compared(
    seed: int, folder: Path, sizes: range, formulas: int = 3, tries: int = 2, states: int = 100_000
) -> list[str]:
    """What was proved of a random network, with the networks in which it was found to hold: `5 nodes` or `5 nodes?` if it had
    too many states.  Raises AssertionError if something proved is violated."""
    rng = random.Random(seed)
    try:
        network, _ = load(written(rng, folder / str(seed)))
    except InputError:  # nobody sends an id that is looked up
        return []
    kept = rng.choice([1, 2])
    network = random_members(rng, moved(network, kept), list(range(1, kept + 1)), 0.3)
    usable = [each for each in FORMULAS if kept == 2 or not any(part in each for part in ("[2]", " 2"))]
    limits, told = Limits(states=states), []
    for text in rng.sample(usable, min(formulas, len(usable))):
        formula, others = Formula("p", text), rng.choice(["none", "any"])
        if proved(network, formula, kept, others, limits):
            found = []
            for size in sizes:
                for larger in larger_networks(rng, network, kept, size, others, tries):
                    outcome = decided(specification(larger, [formula]), formula, limits)
                    assert outcome.verdict is not Verdict.VIOLATED, (seed, text, others, size, larger.features)
                    found.append(f"{size} nodes" + "?" * (outcome.verdict is Verdict.UNKNOWN))
            told.append(f"{seed} {text} ({others}): {', '.join(found)}")
    return told
