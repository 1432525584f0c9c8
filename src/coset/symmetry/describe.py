"""The structure of a symmetry group in a few words, by the names of the processes that it moves."""

from __future__ import annotations

import re

from coset.symmetry.action import Points
from coset.symmetry.groups.group import Group
from coset.symmetry.groups.recognition import describe as recognise
from coset.symmetry.groups.structure import Other, Product, Structure, name, shown, spans

MOST_LABELS = 12
"""Longer lists are shortened."""


def describe(group: Group, points: Points) -> str:
    """As `S4 on client{1,2,4,5}` or `S3 wr S2 on client x S3 on server`."""
    structure = recognise(group)
    factors = structure.factors if isinstance(structure, Product) else (structure,)
    return " x ".join(factor(each, points) for each in factors)


def factor(structure: Structure, points: Points) -> str:
    """A part of the group, and what it permutes: processes if there are any, else channels, else whatever there is."""
    text = f"order {structure.order}" if isinstance(structure, Other) else name(structure)
    moved = sorted(shown(structure))
    ranks = [points.rank(points.points[x]) for x in moved]
    return f"{text} on {where([x for x, rank in zip(moved, ranks, strict=True) if rank == min(ranks)], points)}"


def where(moved: list[int], points: Points) -> str:
    """Points by family, as `client{1,2}`, or `client` if these are all of the family."""
    labels = [label(points, k) for k in range(len(points.points))]
    rank = points.rank(points.points[moved[0]])
    texts = []
    for family in dict.fromkeys(labels[x][0] for x in moved):
        whole = [x for x, point in enumerate(points.points) if labels[x][0] == family and points.rank(point) == rank]
        among = [x for x in moved if labels[x][0] == family]
        own = [labels[x][1] for x in among]
        listed = spans(own) if len(own) <= MOST_LABELS or own[0].isdecimal() else f"{own[0]},...,{own[-1]}"
        texts.append(family if family and len(among) == len(whole) else f"{family}{{{listed}}}")
    return ", ".join(texts)


def label(points: Points, number: int) -> tuple[str, str]:
    """The family of a point and its own name in it: a process is of its kind, an element of its array, a value of its
    sort."""
    point, name_ = points.points[number], points.name(points.points[number])
    if point.what == "value":
        sort, processes = points.sort(point.number), points.started.state.processes
        if sort.objects == "process" and 0 <= point.item < len(processes):
            found = re.search(r"\d+(?=\]?$)", name_)
            return points.interpreter.model.kinds[processes[point.item].kind].name, found[0] if found else name_
        if not sort.objects and not any(variable.elements for variable, _ in sort.dimensions):
            return sort.name, name_.removeprefix(f"{sort.name}=")
    element = re.fullmatch(r"(.*)\[(\d+)\]", name_)
    return (element[1], element[2]) if element else ("", name_)
