"""Groups of permutations of literals on packed states, in C: the tables of literals.h.

A *cell* is an element of the sequential form whose literals move.  `model_points` finds the point of each cell's value in a
state (0 if it stays, else one more than its number), `model_write` writes such values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from coset.engines.explicit.emit.action import array_of, group_tables, parts
from coset.engines.explicit.emit.expression import read, write
from coset.engines.explicit.emit.symmetry import started_function
from coset.engines.explicit.layout import ArrayField, Field, Layout
from coset.model import model as m
from coset.model.sequential_model import Home
from coset.source.records import dataclass
from coset.symmetry.canonical.literal_plan import LiteralPlan

MOST_SKIPPED = 4
"""The number of cells by which group elements are sorted, so that elements that agree on the first cells can be skipped."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The position of an element in the bytes of a state: a field relative to a byte.  A field of a message exists only if the
    channel, at byte `channel`, has more than `place` messages; `blank` is its value otherwise."""

    field: Field
    base: int
    channel: int | None = None
    place: int = 0
    blank: int = 0

    def read(self, state: str) -> str:
        value = read(self.field, f"({state} + {self.base})")
        if self.channel is None:
            return value
        return f"({state}[{self.channel}] > {self.place} ? {value} : {self.blank})"

    def write(self, state: str, value: str) -> str:
        if self.channel is not None:
            value = f"({value} == {self.blank} ? 0 : {value})"
        return write(self.field, f"({state} + {self.base})", value)


def literal_functions(layout: Layout, plan: LiteralPlan) -> list[str]:
    """C for the plan of a group of literals."""
    elements = sorted({element for element, _ in plan.moved})
    number = {element: k for k, element in enumerate(elements)}
    part = dict(parts(plan))
    macros = [
        f"#define POINTS {len(plan.moved)}",
        f"#define PARTS {max(part.values()) + 1}",
        f"#define CELLS {len(elements)}",
        f"#define MODEL_REFINES {int(bool(plan.orbitals))}",
        '#include "group.h"',
    ]
    common = [
        "\n".join(macros),
        array_of("point_value", "int", (value for _, value in plan.moved), "static "),
        *access(layout, plan, elements),
        started_function(layout, plan.started),
    ]
    common.append(array_of("point_cell", "u16", (number[element] for element, _ in plan.moved), "static "))
    if plan.table:
        return [*common, *written_out(plan, number), '#include "enumerated.h"', '#include "generators.h"']
    related = map(numbers, plan.orbitals)
    return [
        *common,
        *group_tables(plan),
        array_of("point_part", "u16", (part[x] for x in range(len(plan.moved))), "static "),
        f"static const u16 orbitals[][MODEL_REFINES ? POINTS : 1] = {{{', '.join(related) or '{0}'}}};",
        '#include "literals.h"',
        '#include "canonical.h"',
        '#include "generators.h"',
    ]


def access(layout: Layout, plan: LiteralPlan, elements: list[int]) -> Iterator[str]:
    """The two functions that read and write cells."""
    assert plan.symmetry.form is not None
    flat = plan.symmetry.form.flat
    reads, writes = [], []
    for k, element in enumerate(elements):
        cell = cell_of(layout, flat.homes[element], flat.elements[element][0].domain.low)
        values = {value: x + 1 for x, (owner, value) in enumerate(plan.moved) if owner == element}
        low, high = min(values), max(values)
        table = array_of("points", "u16", (values.get(v, 0) for v in range(low, high + 1)), "static ")
        reads.append(
            f"{{ {table} int v = {cell.read('s')}; "
            f"x[{k}] = v >= {low} && v <= {high} ? points[v - {low}] : 0; }}"
        )  # fmt: skip
        writes.append(f"if (x[{k}]) {{ int v = point_value[x[{k}] - 1]; {cell.write('t', 'v')} }}")
    for head, lines in (("model_points(const u8 *s, u16 *x)", reads), ("model_write(u8 *t, const u16 *x)", writes)):
        yield f"static void {head} {{\n  " + "\n  ".join(lines) + "\n}"


def written_out(plan: LiteralPlan, number: dict[int, int]) -> Iterator[str]:
    """All elements of a small group: the image of each point, the cell that moves to each position, and how many of the
    following elements act in the same way on the first positions."""
    kind = "u8" if len(plan.moved) < 255 else "u16"
    cells = [number[element] for element, _ in plan.moved]
    points = [[x for x, c in enumerate(cells) if c == k] for k in range(len(number))]
    elements = []
    for row in plan.table:
        source = {cells[y]: cells[x] for x, y in enumerate(row)}
        deeds = [(source[k], *(row[x] for x in points[source[k]])) for k in range(len(number))]
        elements.append((deeds, row, source))
    elements.sort()
    depth = min(MOST_SKIPPED, len(number))
    skips = [[1] * depth for _ in elements]
    for g in reversed(range(len(elements) - 1)):
        for k in range(depth):
            if elements[g][0][: k + 1] != elements[g + 1][0][: k + 1]:
                break
            skips[g][k] += skips[g + 1][k]
    images = [numbers((0, *(x + 1 for x in row))) for _, row, _ in elements]
    yield (
        f"enum {{ element_count = {len(elements)}, skipped_depth = {depth}, "
        f"generator_count = {len(plan.generators)} }};"
    )
    yield f"static const u16 generators[][POINTS] = {{{', '.join(map(numbers, plan.generators))}}};"
    yield f"static const {kind} image_of[][POINTS + 1] = {{{', '.join(images)}}};"
    sources = (numbers(source[k] for k in range(len(number))) for _, _, source in elements)
    yield f"static const {kind} source_of[][CELLS] = {{{', '.join(sources)}}};"
    yield f"static const u16 alike[][skipped_depth] = {{{', '.join(map(numbers, skips))}}};"


def numbers(row: Iterable[int]) -> str:
    return "{" + ", ".join(map(str, row)) + "}"


def cell_of(layout: Layout, home: Home, blank: int) -> Cell:
    """The cell of an element with this home."""
    model = layout.interpreter.model
    match home.what:
        case "global":
            return Cell(element(model.variables, layout.variables, home.offset), 0)
        case "location":
            return Cell(layout.kinds[kind_of(layout, home.owner)].at, layout.bases[home.owner])
        case "local":
            kind = kind_of(layout, home.owner)
            field = element(model.kinds[kind].variables, layout.kinds[kind].variables, home.offset)
            return Cell(field, layout.bases[home.owner])
    type_, offset = layout.channel_table()[home.owner]
    if home.what == "length":
        return Cell(Field(offset, 8), 0)
    return Cell(type_.fields[home.offset], offset + 1 + home.place * type_.stride, offset, home.place, blank)


def kind_of(layout: Layout, process: int) -> int:
    (kind,) = layout.choices[process]
    return kind


def element(variables: tuple[m.Variable, ...], places: dict[m.Variable, ArrayField], offset: int) -> Field:
    """The field at an offset of the flat layout of some variables."""
    for variable in variables:
        if offset < variable.size:
            return places[variable].element(offset)
        offset -= variable.size
    raise IndexError("an offset beyond the last variable")
