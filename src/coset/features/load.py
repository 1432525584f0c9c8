"""A network with its properties, from a folder; whatever is wrong is raised as `InputError`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from coset.features.properties import Instance, Property, parse_instance, read_properties
from coset.languages.features.load import load_network
from coset.languages.features.tree import Network
from coset.model.depth import refused
from coset.source.diagnostics import Diagnostics
from coset.symmetry.methods.features import FeatureDiagram


def load(
    folder: str | Path, counts: Mapping[str, int] | None = None, features: Sequence[str] | None = None
) -> tuple[Network, dict[str, Property]]:
    """The network in a folder and its properties; `counts` and `features` replace what the files say."""
    diagnostics = Diagnostics()
    try:
        network = load_network(folder, diagnostics, counts, features)
        diagnostics.check()
        assert network is not None
        properties = read_properties(folder, network, diagnostics)
    except RecursionError:  # in a file without a more precise diagnostic
        raise refused(None) from None
    diagnostics.check()
    return network, properties


def instance(text: str, network: Network, properties: dict[str, Property]) -> Instance:
    """`FILTER(1,2)`, checked."""
    diagnostics = Diagnostics()
    found = parse_instance(text, properties, network, diagnostics)
    diagnostics.check()
    return found


def diagram(network: Network) -> FeatureDiagram:
    """The feature configuration diagram of a network (Definition 10)."""
    unary = {each.name: each.members for each in network.features if each.arity == 1}
    binary = {each.name: each.members for each in network.features if each.arity == 2}
    return FeatureDiagram.of(network.types, unary, binary)
