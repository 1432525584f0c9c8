"""Open symmetry (Definition 7 of Miller, Calder and Donaldson 2007): a permutation of the components of each type leaves
the set of statements of every proctype as it is.

Two bodies are the same if they differ in the order of options only.  It suffices to try the exchanges of two
neighbouring ids of one type: they generate all permutations that keep types (the paper says Sym(V), which no network with two
types could satisfy).  Templates are open symmetric by construction; this is a second look at what was generated.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import fields
from itertools import pairwise

from coset.languages.features import codes
from coset.languages.features.expand import expand
from coset.languages.features.tree import Component, Network
from coset.languages.promela import tree as t
from coset.source.diagnostics import Diagnostics


def canonical(node: object, images: Mapping[int, int]) -> Hashable:
    """A body after a renaming of components, in which the order of options is gone."""
    if isinstance(node, Component):
        return "component", images.get(node.value, node.value)
    if isinstance(node, t.If | t.Do):
        options = sorted((canonical(option, images) for option in node.options), key=repr)
        return type(node).__name__, tuple(options)
    if isinstance(node, t.Node):
        parts = (canonical(getattr(node, field.name), images) for field in fields(node) if field.name != "span")
        return (type(node).__name__, *parts)
    if isinstance(node, tuple):
        return tuple(canonical(each, images) for each in node)
    assert isinstance(node, Hashable)
    return node


def exchanges(network: Network) -> Iterator[tuple[int, int]]:
    """Neighbouring components of one type."""
    for definition in network.definitions:
        ids = network.ids(definition.name)
        yield from pairwise(ids)


def check_open(network: Network, diagnostics: Diagnostics) -> None:
    for name, template in network.templates.items():
        steps = expand(template.body, network.ids)
        same = canonical(steps, {})
        for one, other in exchanges(network):
            if canonical(steps, {one: other, other: one}) != same:
                message = f"`{name}` tells components {one} and {other} apart"
                diagnostics.error(codes.NOT_OPEN, message, steps[0].span)
