"""The action of symmetries on packed states, in C.

    model_permute    the image of a state under a permutation of the points (symmetry/action.py, for bytes)

and tables of the point and the part that each value in a state names.  A *part* has a key: it is a column if whole columns
are exchanged, otherwise a point (group.h).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from coset.engines.explicit.emit.expression import read, write
from coset.engines.explicit.layout import ArrayField, Field, Layout, MessageType
from coset.model import model as m
from coset.model.analysis.occurrences import assigned
from coset.symmetry.action import Point
from coset.symmetry.canonical.plan import GroupPlan, SymmetryPlan
from coset.symmetry.sorts import Sort

Moved = tuple[m.Variable, ArrayField, int | None]
"""A variable, its fields, and its point if symmetries move it."""
Row = list[Moved]


def array_of(name: str, kind: str, values: Iterable[int], prefix: str = "") -> str:
    numbers = ", ".join(map(str, values)) or "0"
    return f"{prefix}const {kind} {name}[] = {{{numbers}}};"


def parts(plan: GroupPlan) -> Iterator[tuple[int, int]]:
    """Each point with the number of its part."""
    if plan.strategy != "sort":
        yield from ((x, x) for x in range(len(plan.orbit)))
        return
    columns = (column for family in plan.families for column in family)
    for number, column in enumerate(columns):
        yield from ((x, number) for x in column)


def group_tables(plan: GroupPlan) -> list[str]:
    """The tables of group.h."""
    columns = [point for family in plan.families for column in family for point in column]
    families, first, part = [], 0, 0
    for family in plan.families:
        width = len(family[0])
        families.append(f"{{{first}, {len(family)}, {width}, {part}}}")
        first += len(family) * width
        part += len(family)
    levels, start = [], 0
    for level in plan.levels:
        levels.append(f"{{{level.base}, {start}, {len(level.orbit)}}}")
        start += len(level.orbit)
    rows = ["{" + ", ".join(map(str, row)) + "}" for level in plan.levels for row in level.leads]
    generators = ["{" + ", ".join(map(str, row)) + "}" for row in plan.generators]
    order = plan.order if plan.counts else 0
    return [
        f"static const enum strategy strategy = STRATEGY_{plan.strategy.upper()};",
        f"enum {{ family_count = {len(families)}, level_count = {len(levels)}, generator_count = {len(generators)} }};",
        array_of("orbit_colour", "u16", plan.orbit, "static "),
        array_of("columns", "u16", columns, "static "),
        array_of("orbit_points", "u16", (x for level in plan.levels for x in level.orbit), "static "),
        f"static const struct family families[] = {{{', '.join(families) or '{0, 0, 0, 0}'}}};",
        f"static const struct level levels[] = {{{', '.join(levels) or '{0, 0, 0}'}}};",
        f"static const u16 leads[][POINTS] = {{{', '.join(rows) or '{0}'}}};",
        f"static const u16 generators[][POINTS] = {{{', '.join(generators) or '{0}'}}};",
        f"static const u64 group_order[2] = {{{order & (1 << 64) - 1}u, {order >> 64}u}};",
    ]


class Action:
    """The positions of a plan's points in packed states."""

    def __init__(self, layout: Layout, plan: SymmetryPlan) -> None:
        self.layout, self.plan, self.points = layout, plan, plan.points
        self.model = layout.interpreter.model
        self.number = {point: k for k, point in enumerate(plan.moved)}
        self.part = dict(parts(plan))
        self.assigned = assigned(self.model)
        self.sorts = [sort for sort in self.points.sorts.all if any(self.moves(sort, v) for v in sort.values)]
        """The sorts with values that symmetries move."""

    def moves(self, sort: Sort, value: int) -> bool:
        return Point("value", sort.leader.number, value) in self.number

    def is_moved(self, sort: Sort) -> bool:
        return sort.leader in self.sorts

    # --- tables ----------------------------------------------------------------------------------

    def tables(self) -> list[str]:
        return [*group_tables(self.plan), array_of("item", "int", (point.item for point in self.plan.moved), "static ")]

    def maps(self) -> list[str]:
        """For each sort: the point of a value (-1 if it is fixed), its part and row, and the image of a value."""
        parts = []
        for sort in self.sorts:
            parts += self.map(
                f"sort{sort.number}", {v: self.number.get(Point("value", sort.number, v)) for v in sort.values}
            )
        for k, kind in enumerate(self.model.kinds):
            found = {n: self.number.get(Point("location", k, n)) for n in range(len(kind.locations))}
            if self.location_moves(k):
                parts += self.map(f"location{k}", found)
        return parts

    def map(self, name: str, points: dict[int, int | None]) -> list[str]:
        moving = {value: point for value, point in points.items() if point is not None}
        low, high = min(moving), max(moving)
        span = range(low, high + 1)
        is_between = f"v >= {low} && v <= {high}"
        rows = {self.plan.orbit[point] for point in moving.values()} if self.plan.strategy == "sort" else set()
        tables = [
            array_of(f"points_{name}", "int16_t", (moving.get(v, -1) for v in span), "static "),
            array_of(
                f"parts_{name}", "int16_t", (self.part[moving[v]] if v in moving else -1 for v in span), "static "
            ),
        ]
        row = "0"
        if len(rows) > 1:
            orbits = (self.plan.orbit[moving[v]] if v in moving else 0 for v in span)
            tables.append(array_of(f"rows_{name}", "u16", orbits, "static "))
            row = f"{is_between} ? rows_{name}[v - {low}] : 0"
        return [
            *tables,
            f"static inline int part_{name}(int v) {{ return {is_between} ? parts_{name}[v - {low}] : -1; }}\n"
            f"static inline u64 row_{name}(int v) {{ (void)v; return {row}; }}\n"
            f"static inline int map_{name}(const u16 *g, int v) "
            f"{{ int q = {is_between} ? points_{name}[v - {low}] : -1; return q < 0 ? v : item[g[q]]; }}",
        ]

    def location_moves(self, kind: int) -> bool:
        return any(point.what == "location" and point.number == kind for point in self.plan.moved)

    def first_of(self, what: str, number: int) -> int:
        """The first of the kinds ("location") or sorts ("value") that symmetries exchange with this one."""
        return self.firsts.get((what, number), number)

    @cached_property
    def firsts(self) -> dict[tuple[str, int], int]:
        """For each kind or sort that symmetries exchange with others, the least number of these."""
        orbits: dict[int, set[int]] = {}
        for point, orbit in zip(self.plan.moved, self.plan.orbit, strict=True):
            orbits.setdefault(orbit, set()).add(point.number)
        return {
            (point.what, point.number): min(orbits[orbit])
            for point, orbit in zip(self.plan.moved, self.plan.orbit, strict=True)
            if len(orbits[orbit]) > 1
        }

    def image(self, sort: Sort | None, value: str) -> str:
        """The C expression of the image of a value."""
        if sort is None or not self.is_moved(sort):
            return value
        return f"map_sort{sort.leader.number}(g, {value})"

    # --- variables -------------------------------------------------------------------------------

    def sort_of(self, variable: m.Variable) -> Sort:
        return self.points.sorts.of_variable[variable].leader

    def index_sorts(self, variable: m.Variable) -> list[Sort]:
        return [self.points.sorts.index(variable, d) for d in range(len(variable.shape))]

    def has_moved_cells(self, variable: m.Variable, point: Point) -> bool:
        """Whether symmetries move the variable's values or change them."""
        if point not in self.points.points:
            return False
        return (
            point in self.number
            or self.is_moved(self.sort_of(variable))
            or any(map(self.is_moved, self.index_sorts(variable)))
        )

    def row(self, variables: Sequence[m.Variable], places: dict[m.Variable, ArrayField], what: str, number: int) -> Row:
        """The variables of a row that symmetries change: their fields, and the point if the variable itself moves."""
        found = []
        for k, variable in enumerate(variables):
            point = Point(what, number, k)
            if what == "global" and variable not in self.assigned:
                continue  # a symmetry maps what never changes to itself
            if variable in places and self.has_moved_cells(variable, point):
                found.append((variable, places[variable], self.number.get(point)))
        return found

    def loops(self, variable: m.Variable, body: str) -> str:
        """`body` for every element; its indices are i0, i1, ..."""
        for d in reversed(range(len(variable.shape))):
            body = f"for (int i{d} = 0; i{d} < {variable.shape[d]}; i{d}++) {{ {body} }}"
        return body

    def element(
        self, variable: m.Variable, place: ArrayField, pointer: str, indices: Sequence[str]
    ) -> tuple[Field, str]:
        """The field of an element, and the pointer that it is relative to."""
        position = ""
        for index, length in zip(indices, variable.shape, strict=True):
            position = index if not position else f"({position}) * {length} + {index}"
        return place.first, f"({pointer} + {place.stride} * ({position}))" if position else pointer

    def indices(self, variable: m.Variable) -> list[str]:
        return [f"i{d}" for d in range(len(variable.shape))]

    # --- the image of a state --------------------------------------------------------------------

    def permute(self) -> str:
        lines = ["memcpy(t, s, STATE_SIZE);"]
        if self.layout.mover is not None:
            lines.append(
                write(self.layout.mover, "t", self.image(self.points.sorts.process, read(self.layout.mover, "s")))
            )
        lines += self.permute_row(self.row(self.model.variables, self.layout.variables, "global", 0), "s", "t")
        lines += self.permute_processes()
        lines += self.permute_channels()
        return "static void model_permute(const u8 *s, const u16 *g, u8 *t) {\n  " + "\n  ".join(lines) + "\n}"

    def permute_row(self, row: Row, source: str, target: str, others: Iterable[Moved] = ()) -> Iterator[str]:
        """C that moves variables to their places in a row; `others` are those of kinds that symmetries exchange with this one."""
        by_point = {point: (variable, place) for variable, place, point in (*row, *others) if point is not None}
        for variable, place, point in row:
            here = self.indices(variable)
            there = [self.image(sort, i) for sort, i in zip(self.index_sorts(variable), here, strict=True)]
            value = self.image(self.sort_of(variable), read(*self.element(variable, place, source, here)))
            if point is None:
                field, pointer = self.element(variable, place, target, there)
                yield self.loops(variable, write(field, pointer, value))
                continue
            cases = []
            orbit = self.plan.orbit[point]
            for other, (other_variable, other_place) in by_point.items():
                if self.plan.orbit[other] == orbit:
                    field, pointer = self.element(other_variable, other_place, target, there)
                    cases.append(f"case {other}: {write(field, pointer, value)} break;")
            yield self.loops(variable, f"switch (g[{point}]) {{ {' '.join(cases)} }}")

    def processes_of(self, kind: int) -> list[int]:
        return [n for n, process in enumerate(self.points.started.state.processes) if process.kind == kind]

    def process_point(self, number: int) -> int | None:
        return self.number.get(Point("value", self.points.sorts.process.leader.number, number))

    def permute_processes(self) -> Iterator[str]:
        for k, (kind, place) in enumerate(zip(self.model.kinds, self.layout.kinds, strict=True)):
            numbers = self.processes_of(k)
            moved = [n for n in numbers if self.process_point(n) is not None]
            row = self.row(kind.variables, place.variables, "local", k)
            if not numbers or not (moved or row or self.location_moves(k)):
                continue
            body = ["const u8 *from = s + bases[pid];"]
            size = self.own_size(k)
            if moved:
                process = self.image(self.points.sorts.process, "pid")
                body.append(f"u8 *to = t + bases[{process}];")
                body.append(f"memcpy(to, from, {size});")
            else:
                body.append("u8 *to = t + bases[pid];")
            if self.location_moves(k):
                body.append(write(place.at, "to", f"map_location{k}(g, {read(place.at, 'from')})"))
            body += self.permute_row(row, "from", "to", self.copied_rows(k))
            pids = array_of("pids", "u8", numbers, "static ")
            alive = "if (pid >= process_count(s)) continue;"
            yield (
                f"{{ {pids} for (int k = 0; k < {len(numbers)}; k++) {{ int pid = pids[k]; {alive}\n    "
                + "\n    ".join(body)
                + "\n  } }"
            )

    def copied_rows(self, kind: int) -> Row:
        """The variables of the kinds that symmetries exchange with a kind.  Their layouts are the same (`copies`)."""
        first = self.first_of("location", kind)
        return [
            each
            for k, other in enumerate(self.model.kinds)
            if k != kind and self.first_of("location", k) == first
            for each in self.row(other.variables, self.layout.kinds[k].variables, "local", k)
        ]

    def own_size(self, kind: int) -> int:
        """The bytes of a slot that hold the process's own variables; its channels follow them, and have points."""
        place = self.layout.kinds[kind]
        return min((offset for _, offset in place.channels), default=place.size)

    # --- channels --------------------------------------------------------------------------------

    def channels(self) -> Iterator[tuple[MessageType, Sort, list[int]]]:
        """Channels that symmetries change, with the channels of the same type and sort."""
        state = self.points.started.state
        table = self.layout.channel_table()
        for sort in self.points.sorts.all:
            if sort.objects != "channel":
                continue
            groups: dict[int, list[int]] = {}
            for number in sorted(sort.values):
                if 1 <= number <= len(state.channels) and table[number - 1][0].capacity:
                    groups.setdefault(table[number - 1][0].number, []).append(number)
            for type_number, numbers in groups.items():
                fields = [s for s in sort.fields.values() if self.is_moved(s)]
                if fields or any(self.moves(sort, number) for number in numbers):
                    yield self.layout.types[type_number], sort, numbers

    def channel_tables(self, numbers: list[int]) -> str:
        table = self.layout.channel_table()
        return (
            array_of("numbers", "u8", numbers, "static ")
            + " "
            + f"static const int offsets[] = {{{', '.join(str(o) for _, o in table)}}};"
        )

    def message_fields(self, type_: MessageType, sort: Sort) -> Iterator[tuple[Field, Sort]]:
        """The fields of messages whose values may move."""
        for k, field in enumerate(type_.fields):
            inner = sort.fields.get(k)
            if inner is not None and self.is_moved(inner):
                yield field, inner.leader

    def permute_channels(self) -> Iterator[str]:
        for type_, sort, numbers in self.channels():
            body = ["const u8 *from = s + offsets[number - 1];"]
            body.append(f"u8 *to = t + offsets[{self.image(sort, 'number')} - 1];")
            body.append(f"memcpy(to, from, {type_.size});")
            fields = list(self.message_fields(type_, sort))
            if fields:
                inner = " ".join(
                    write(field, "(to + at)", self.image(inner, read(field, "(from + at)"))) for field, inner in fields
                )
                body.append(f"for (int m = 0; m < from[0]; m++) {{ int at = 1 + m * {type_.stride}; {inner} }}")
            yield (
                f"{{ {self.channel_tables(numbers)}\n    "
                f"for (int k = 0; k < {len(numbers)}; k++) {{ int number = numbers[k];\n    "
                + "\n    ".join(body)
                + "\n  } }"
            )
