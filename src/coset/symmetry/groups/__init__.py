"""Permutation groups: permutations, stabiliser chains, structure, automorphisms of graphs, the orbit problem."""

from coset.symmetry.groups.automorphisms import Automorphisms, ColouredGraph, automorphisms
from coset.symmetry.groups.group import Group
from coset.symmetry.groups.orbit_problem import carrier, into_itself, least, same_orbit
from coset.symmetry.groups.permutation import Permutation
from coset.symmetry.groups.recognition import describe
from coset.symmetry.groups.structure import (
    Alternating,
    Columns,
    Cyclic,
    Dihedral,
    Other,
    Product,
    Structure,
    Symmetric,
    Tied,
    Wreath,
    name,
)

__all__ = [
    "Alternating",
    "Automorphisms",
    "ColouredGraph",
    "Columns",
    "Cyclic",
    "Dihedral",
    "Group",
    "Other",
    "Permutation",
    "Product",
    "Structure",
    "Symmetric",
    "Tied",
    "Wreath",
    "automorphisms",
    "carrier",
    "describe",
    "into_itself",
    "least",
    "name",
    "same_orbit",
]
