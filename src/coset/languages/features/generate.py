"""From a network to a Promela specification (Section 6 of Miller, Calder and Donaldson 2007), as text and as a tree.

Channel `link3` is that of component 3, process 3 is component 3, and `init` switches the features on and starts all in the
order of their ids (in the paper it is the other way round; so the order of the features is over before the components, which
symmetry permutes, are there).  Feature arrays are ordinary variables: they never change after that, so they cost no states, and
`hidden` variables, as the paper has them, cannot be given a symmetry in general.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from coset.languages.features.expand import N, expand, mapped
from coset.languages.features.scope import COUNT
from coset.languages.features.text import body
from coset.languages.features.tree import Component, Definition, Feature, Lookup, Network
from coset.languages.promela import tree as t
from coset.source.text import Span


def generate(network: Network, formulas: Sequence[tuple[str, str]] = ()) -> str:
    """The text of the specification, with formulas as `ltl` blocks: (name, formula)."""
    parts = [
        f"/* {network.name}: {', '.join(f'{d.count} {d.name}' for d in network.definitions)}; "
        f"features: {', '.join(str(f) for f in network.features if f.members) or 'none'}. */",
        f"#define {COUNT} {network.size + 1}",
        "\n".join(feature_arrays(network.features)),
        network.globals.text.strip(),
        "\n".join(channels(network)),
        lookup([(number, f"link{number}") for number in network.types]),
        *(
            proctype(each.name, linked(expand(network.templates[each.name].body, network.ids)))
            for each in network.definitions
        ),
        init([(each, f"link{k}") for k, each in enumerate(components(network), 1)], network.features),
        *(f"ltl {name} {{ {formula} }}" for name, formula in formulas),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def components(network: Network) -> list[str]:
    return [each.name for each in network.definitions for _ in range(each.count)]


def feature_arrays(features: Sequence[Feature]) -> Iterator[str]:
    if any(feature.arity == 2 for feature in features):
        yield f"typedef array {{ byte to[{COUNT}] }};"
    for feature in features:
        yield f"{'byte' if feature.arity == 1 else 'array'} {feature.name}[{COUNT}];"


def channels(network: Network) -> Iterator[str]:
    number = 0
    for each in network.definitions:
        for _ in range(each.count):
            number += 1
            yield channel(f"link{number}", each)


def channel(name: str, definition: Definition) -> str:
    return f"chan {name} = [{definition.capacity}] of {{ {definition.message} }};"


def lookup(links: Sequence[tuple[int, str]], otherwise: str = "assert(false)") -> str:
    """The inline that finds the channel of a component."""
    options = "\n".join(f"\t:: id == {number} -> link = {name}" for number, name in links)
    return f"inline lookup(id, link) {{\n\tif\n{options}\n\t:: else -> {otherwise}\n\tfi\n}}"


def proctype(name: str, steps: tuple[t.Statement, ...]) -> str:
    return f"proctype {name}(chan in) {{\n{body(steps)}\n}}"


def init(started: Sequence[tuple[str, str]], features: Sequence[Feature]) -> str:
    runs = [f"run {name}({link})" for name, link in started]
    switched = [
        f"{feature.name}[{member[0]}]{'' if feature.arity == 1 else f'.to[{member[1]}]'} = 1"
        for feature in features
        for member in feature.members
    ]
    return "init {\n\tatomic {\n\t\t" + ";\n\t\t".join([*switched, *runs]) + "\n\t}\n}"


def linked(steps: tuple[t.Statement, ...], name: Callable[[int], str] = "link{}".format) -> tuple[t.Statement, ...]:
    """Where a template looks up a component that an option has named, its channel is known: no choice is needed."""

    def known(x: t.Node) -> t.Statement | None:
        if isinstance(x, Lookup) and isinstance(x.component, Component):
            return t.Assign(x.span, x.channel, t.Reference(x.span, name(x.component.value)))
        return None

    return tuple(mapped(step, known) for step in steps)


# --- as a tree, for messages that name places in the templates -----------------------------------------


def program(network: Network) -> t.Program:
    """The specification as a syntax tree whose places are those of the templates."""
    at = Span(network.globals, 0, 0)
    count = t.Number(at, network.size + 1)
    units: list[t.Unit] = []
    byte = t.TypeName(at, "byte")
    to = t.Declaration(at, byte, (t.Declarator(at, "to", None, count),))
    units.append(t.Typedef(at, "array", (to,)))
    for feature in network.features:
        kind = byte if feature.arity == 1 else t.TypeName(at, "array")
        units.append(t.Declaration(at, kind, (t.Declarator(at, feature.name, None, count),)))
    units += [counted(unit, count) for unit in network.units]
    for number, name in network.types.items():
        definition = network.definition(name)
        made = t.ChannelInitial(definition.span, t.Number(at, definition.capacity), definition.fields)
        units.append(
            t.Declaration(
                definition.span, t.TypeName(at, "chan"), (t.Declarator(at, f"link{number}", None, None, made),)
            )
        )
    parameter = t.Declaration(at, t.TypeName(at, "chan"), (t.Declarator(at, "in"),))
    for definition in network.definitions:
        steps = linked(expand(network.templates[definition.name].body, network.ids))
        written = tuple(counted(mapped(step, lambda x: looked_up(x, network)), count) for step in steps)
        units.append(t.Proctype(definition.span, definition.name, None, (parameter,), written))
    runs = [t.Guard(at, t.Run(at, name, (t.Reference(at, f"link{number}"),))) for number, name in network.types.items()]
    units.append(t.Proctype(at, "init", t.Number(at, 1), (), (t.Block(at, tuple(runs), "atomic"),)))
    return t.Program(tuple(units))


def counted(node: N, count: t.Number) -> N:
    """NCOMP written out."""
    return mapped(node, lambda x: count if isinstance(x, t.Reference) and x.name == COUNT else None)


def looked_up(x: t.Node, network: Network) -> t.Statement | None:
    """What `lookup` does."""
    if not isinstance(x, Lookup):
        return None
    options: list[tuple[t.Statement, ...]] = [
        (
            t.Guard(x.span, t.Binary(x.span, "==", x.component, t.Number(x.span, number))),
            t.Assign(x.span, x.channel, t.Reference(x.span, f"link{number}")),
        )
        for number in network.types
    ]
    options.append((t.Else(x.span), t.Assert(x.span, t.Number(x.span, 0))))
    return t.Block(x.span, (t.If(x.span, tuple(options)),), None, "lookup")
