"""abs(m): one specification that stands for networks of every size (Section 4.1 of Miller, Calder and Donaldson 2007).

The components 1 to m of the first proctype are kept, all others of that proctype are one process `Abstract` with the id ABS =
m + 1, and the components of other proctypes follow.  The kept ones do whatever they may do (`may`); what they send to an
abstracted component is lost.  `Abstract` sends what an abstracted component can send, at any time (`units`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from coset.languages.features.expand import expand
from coset.languages.features.flow import Flow
from coset.languages.features.generate import channel, feature_arrays, init, linked, lookup, proctype
from coset.languages.features.may import ABS, LINK, May, name, otherwise
from coset.languages.features.scope import COUNT
from coset.languages.features.tree import Network
from coset.languages.features.units import Units
from coset.languages.promela import tree as t

ABSTRACT = "Abstract"


def abstracted(
    network: Network, flow: Flow, kept: int, any_features: bool, formulas: Sequence[tuple[str, str]] = ()
) -> str:
    """The text of abs(m), m being `kept`.  The features of the network must be among the components that are kept, which have
    the same ids in it; abstracted components have none, or any.  Raises `NotAbstractable`."""
    first = network.definitions[0]
    number = kept + 1
    whole = network.sized({first.name: number})

    def link(component: int) -> str:
        return LINK if component == number else f"link{component}"

    def body(proctype_name: str) -> tuple[t.Statement, ...]:
        may = May(flow.scopes[proctype_name], number, any_features)
        steps = expand(network.templates[proctype_name].body, whole.ids)
        return linked(Modification(may).steps(steps), link)

    units = Units(first.name, whole, flow, May(flow.scopes[first.name], number, any_features, abstract=True), link)
    links = [(each, link(each)) for each in whole.types]
    parts = [
        f"/* abs({kept}) of {network.name}: {kept} of the {first.name} components as they are, and {ABSTRACT} for any number "
        f"of others, with {'any' if any_features else 'no'} features. */",
        f"#define {COUNT} {whole.size + 1}\n#define {ABS} {number}",
        "\n".join(feature_arrays(network.features)),
        network.globals.text.strip(),
        "\n".join(channel(link(each), network.definition(type_)) for each, type_ in whole.types.items()),
        lookup(links, "skip"),
        *(proctype(each.name, body(each.name)) for each in network.definitions),
        f"proctype {ABSTRACT}(chan in) {{\n{units.text()}\n}}",
        init(
            [(ABSTRACT if each == number else type_, link(each)) for each, type_ in whole.types.items()],
            network.features,
        ),
        *(f"ltl {label} {{ {formula} }}" for label, formula in formulas),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


class Modification:
    """The body of a kept component in abs(m): it has the same steps, and does all that it may do."""

    def __init__(self, may: May) -> None:
        self.may = may

    def steps(self, steps: tuple[t.Statement, ...]) -> tuple[t.Statement, ...]:
        return tuple(self.step(step) for step in steps)

    def step(self, x: t.Statement) -> t.Statement:
        match x:
            case t.Guard(condition=condition):
                return t.Guard(x.span, self.may(condition))
            case t.DeclarationStatement(declaration=t.Declaration(type=t.TypeName(name="chan")) as declared):
                own = t.Reference(
                    x.span, "in"
                )  # more can happen than in a network, which must not end in an error of SPIN
                items = tuple(replace(item, initial=item.initial or own) for item in declared.items)
                return replace(x, declaration=replace(declared, items=items))
            case t.Assert():
                return t.Guard(x.span, t.Number(x.span, 1))
            case t.Send(channel=target) if target.name != "in":
                return guarded_send(x)
            case t.Labelled(statement=inner):
                return replace(x, statement=self.step(inner))
            case t.Block(body=body):
                return replace(x, body=self.steps(body))
            case t.If(options=options) | t.Do(options=options):
                return replace(x, options=tuple(self.option(option, options) for option in options))
        return x

    def option(
        self, option: tuple[t.Statement, ...], options: tuple[tuple[t.Statement, ...], ...]
    ) -> tuple[t.Statement, ...]:
        if option and isinstance(option[0], t.Else):
            return (t.Guard(option[0].span, otherwise(self.may, options)), *self.steps(option[1:]))
        return self.steps(option)


def guarded_send(x: t.Send) -> t.Statement:
    """A send in one step, as formulas could see a step between; it is lost if the receiver is abstracted."""
    link = name(x.span, LINK)
    lost = t.Guard(x.span, t.Binary(x.span, "==", x.channel, link))
    kept = t.Binary(x.span, "!=", x.channel, link)
    room = t.Guard(x.span, t.Binary(x.span, "&&", kept, t.ChannelQuery(x.span, "nfull", x.channel)))
    return t.If(x.span, ((lost,), (t.Block(x.span, (room, x), "d_step"),)))
