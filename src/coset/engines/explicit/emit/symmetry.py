"""The action of symmetries on packed states, and what tells the points of a state apart.

    model_permute    the image of a state under a permutation of the points (symmetry/action.py, for bytes)
    model_colour     a hash of what each point holds that no symmetry changes: plain numbers, mostly
    model_refine     one round of refinement: to the key of every point is added how the points look that it has to do with
    model_settled    whether all processes have been started

A *cell* is a number in the state, with the points that it belongs to: the process whose variable it is, the indices of an
element, the channel of a message, and the point that its value names.  Refinement tells each of the points about the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from coset.engines.explicit.emit.expression import read, write
from coset.engines.explicit.layout import ArrayField, Field, Layout, MessageType
from coset.model import model as m
from coset.symmetry.action import Point
from coset.symmetry.instances import assigned
from coset.symmetry.plan import Plan
from coset.symmetry.sorts import Sort

LARGEST_ORDER = 1 << 128


def symmetry_header(plan: Plan) -> list[str]:
    """What the runtime must know when it is compiled."""
    return [
        "#define MODEL_SYMMETRIC 1",
        f"#define POINTS {len(plan.moved)}",
        f"#define FAMILIES {max(1, len(plan.families))}",
    ]


def symmetry_functions(layout: Layout, plan: Plan) -> list[str]:
    """C for the plan of a group."""
    emitter = Emitter(layout, plan)
    return ['#include "canonical.h"\n#include "hash.h"', *emitter.tables(), *emitter.maps(), emitter.permute(),
            emitter.colour(), emitter.refine(), emitter.settled()]  # fmt: skip


def array_of(name: str, kind: str, values: Iterable[int], prefix: str = "") -> str:
    numbers = ", ".join(map(str, values)) or "0"
    return f"{prefix}const {kind} {name}[] = {{{numbers}}};"


class Emitter:
    def __init__(self, layout: Layout, plan: Plan) -> None:
        self.layout, self.plan, self.points = layout, plan, plan.points
        self.model = layout.interpreter.model
        self.number = {point: k for k, point in enumerate(plan.moved)}
        self.assigned = assigned(self.model)
        self.salts = count(1)
        self.sorts = [sort for sort in self.points.sorts.all if any(self.moves(sort, v) for v in sort.values)]
        """The sorts some values of which move."""

    def moves(self, sort: Sort, value: int) -> bool:
        return Point("value", sort.leader.number, value) in self.number

    def is_moved(self, sort: Sort) -> bool:
        return sort.leader in self.sorts

    # --- tables ----------------------------------------------------------------------------------

    def tables(self) -> list[str]:
        plan = self.plan
        columns = [point for family in plan.families for column in family for point in column]
        families, first = [], 0
        for family in plan.families:
            width = len(family[0])
            families.append(f"{{{first}, {len(family)}, {width}}}")
            first += len(family) * width
        levels, start = [], 0
        for level in plan.levels:
            levels.append(f"{{{level.base}, {start}, {len(level.orbit)}}}")
            start += len(level.orbit)
        rows = ["{" + ", ".join(map(str, row)) + "}" for level in plan.levels for row in level.leads]
        generators = ["{" + ", ".join(map(str, row)) + "}" for row in plan.generators]
        order = plan.order if plan.order < LARGEST_ORDER else 0
        return [
            f"const int strategy = STRATEGY_{plan.strategy.upper()}, family_count = {len(families)}, "
            f"level_count = {len(levels)}, generator_count = {len(generators)};",
            array_of("orbit_colour", "u16", plan.orbit),
            array_of("columns", "u16", columns),
            array_of("orbit_points", "u16", (x for level in plan.levels for x in level.orbit)),
            f"const struct family families[] = {{{', '.join(families) or '{0, 0, 0}'}}};",
            f"const struct level levels[] = {{{', '.join(levels) or '{0, 0, 0}'}}};",
            f"const u16 leads[][POINTS] = {{{', '.join(rows) or '{0}'}}};",
            f"const u16 generators[][POINTS] = {{{', '.join(generators) or '{0}'}}};",
            f"const u64 group_order[2] = {{{order & (1 << 64) - 1}u, {order >> 64}u}};",
            array_of("item", "int", (point.item for point in plan.moved), "static "),
        ]

    def maps(self) -> list[str]:
        """For each sort: the point of a value (-1 if it stays), and the image of a value."""
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
        table = (moving.get(value, -1) for value in range(low, high + 1))
        return [
            array_of(f"points_{name}", "int16_t", table, "static "),
            f"static inline int point_{name}(int v) {{ return v >= {low} && v <= {high} ? points_{name}[v - {low}] : -1; }}\n"
            f"static inline int map_{name}(const u16 *g, int v) "
            f"{{ int q = point_{name}(v); return q < 0 ? v : item[g[q]]; }}",
        ]

    def location_moves(self, kind: int) -> bool:
        return any(point.what == "location" and point.number == kind for point in self.plan.moved)

    def image(self, sort: Sort | None, value: str) -> str:
        """The C expression of the image of a value."""
        if sort is None or not self.is_moved(sort):
            return value
        return f"map_sort{sort.leader.number}(g, {value})"

    def seen(self, sort: Sort | None, value: str) -> tuple[str, str]:
        """C expressions for what a value looks like (a hash) and for its point (-1: none)."""
        if sort is None or not self.is_moved(sort):
            return f"hash_word((u64)(uint32_t)({value}))", "-1"
        point = f"point_sort{sort.leader.number}({value})"
        return f"looks(key, {point}, {value})", point

    # --- variables -------------------------------------------------------------------------------

    def sort_of(self, variable: m.Variable) -> Sort:
        return self.points.sorts.of_variable[variable].leader

    def index_sorts(self, variable: m.Variable) -> list[Sort]:
        return [self.points.sorts.index(variable, d) for d in range(len(variable.shape))]

    def has_moved_cells(self, variable: m.Variable, point: Point) -> bool:
        """Whether symmetries change where the variable's values are, or what they are."""
        if point not in self.points.points:
            return False
        return (
            point in self.number
            or self.is_moved(self.sort_of(variable))
            or any(map(self.is_moved, self.index_sorts(variable)))
        )

    def row(
        self, variables: Sequence[m.Variable], places: dict[m.Variable, ArrayField], what: str, number: int
    ) -> list[tuple[m.Variable, ArrayField, int | None]]:
        """The variables of a row that are not left alone: place, and point if the variable itself moves."""
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
        return "void model_permute(const u8 *s, const u16 *g, u8 *t) {\n  " + "\n  ".join(lines) + "\n}"

    def permute_row(
        self, row: list[tuple[m.Variable, ArrayField, int | None]], source: str, target: str
    ) -> Iterator[str]:
        by_point = {point: (variable, place) for variable, place, point in row if point is not None}
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
        return [n for n, process in enumerate(self.points.settled.state.processes) if process.kind == kind]

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
            body += self.permute_row(row, "from", "to")
            pids = array_of("pids", "u8", numbers, "static ")
            alive = "if (pid >= process_count(s)) continue;"
            yield (
                f"{{ {pids} for (int k = 0; k < {len(numbers)}; k++) {{ int pid = pids[k]; {alive}\n    "
                + "\n    ".join(body)
                + "\n  } }"
            )

    def own_size(self, kind: int) -> int:
        """The bytes of a slot that are the process's own variables; its channels come behind them, and have points."""
        place = self.layout.kinds[kind]
        return min((offset for _, offset in place.channels), default=place.size)

    # --- channels --------------------------------------------------------------------------------

    def channels(self) -> Iterator[tuple[MessageType, Sort, list[int]]]:
        """Channels that are not left alone, with those that look like them."""
        state = self.points.settled.state
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

    # --- what is known of points -----------------------------------------------------------------

    def salt(self) -> str:
        return f"{next(self.salts) * 0x9E3779B97F4A7C15 & (1 << 64) - 1:#x}u"

    def colour(self) -> str:
        helper = (
            "static inline void tell(u64 *sum, int q, u64 salt, u64 what) "
            "{ if (q >= 0) sum[q] += fold(what ^ salt, salt | 1u); }"
        )
        lines = ["(void)s; (void)sum;"]
        for k, (kind, place) in enumerate(zip(self.model.kinds, self.layout.kinds, strict=True)):
            moved = [n for n in self.processes_of(k) if self.process_point(n) is not None]
            if moved:
                hidden = [place.at] if self.location_moves(k) else []
                for _, array, _ in self.row(kind.variables, place.variables, "local", k):
                    hidden += [array.element(i) for i in range(array.count)]
                pids = array_of("pids", "u8", moved, "static ")
                own = f"point_sort{self.points.sorts.process.leader.number}(pids[k])"
                hashed = self.masked_hash("p", self.own_size(k), hidden)
                lines.append(
                    f"{{ {pids} for (int k = 0; k < {len(moved)}; k++) {{ const u8 *p = s + bases[pids[k]]; "
                    f"{hashed} tell(sum, {own}, {self.salt()}, h); }} }}"
                )
        for variable, array, point in self.row(self.model.variables, self.layout.variables, "global", 0):
            if point is not None and not variable.shape and not self.is_moved(self.sort_of(variable)):
                lines.append(f"tell(sum, {point}, 0x9E3779B97F4A7C15u, (u64)(uint32_t){read(array.first, 's')});")
        for type_, sort, numbers in self.channels():
            if self.is_moved(sort):
                hidden = [
                    Field(1 + k * type_.stride + field.offset, field.bits, field.shift)
                    for field, _ in self.message_fields(type_, sort)
                    for k in range(type_.capacity)
                ]
                lines.append(
                    f"{{ {self.channel_tables(numbers)}\n    for (int k = 0; k < {len(numbers)}; k++) {{ "
                    f"const u8 *c = s + offsets[numbers[k] - 1]; {self.masked_hash('c', type_.size, hidden)} "
                    f"tell(sum, point_sort{sort.leader.number}(numbers[k]), {self.salt()}, h); }} }}"
                )
        body = "\n  ".join(lines)
        return f"{helper}\n\nvoid model_colour(const u8 *s, u64 *sum) {{\n  {body}\n}}"

    def masked_hash(self, pointer: str, size: int, hidden: list[Field]) -> str:
        """C that makes `h` a hash of some bytes without the bits of some fields."""
        mask = (1 << 8 * size) - 1
        for field in hidden:
            mask &= ~(((1 << field.bits) - 1) << (8 * field.offset + field.shift))
        text = "u64 h = 0;"
        for at in range(0, size, 8):
            word = mask >> 8 * at & (1 << 64) - 1
            if word:
                text += (
                    f" {{ u64 w = 0; memcpy(&w, {pointer} + {at}, {min(8, size - at)}); "
                    f"h = fold(h ^ w & {word:#x}u, 0xA0761D6478BD642Fu); }}"
                )
        return text

    def refine(self) -> str:
        helpers = (
            "static inline u64 looks(const u64 *key, int q, int v) "
            "{ return q < 0 ? hash_word((u64)(uint32_t)v) : key[q]; }"
        )
        lines = ["(void)key;"]
        if self.layout.mover is not None:
            _, point = self.seen(self.points.sorts.process, read(self.layout.mover, "s"))
            lines.append(f"tell(sum, {point}, {self.salt()}, 1);")
        lines += self.refine_row(self.row(self.model.variables, self.layout.variables, "global", 0), "s", None)
        lines += self.refine_processes()
        lines += self.refine_channels()
        return (
            helpers + "\n\nvoid model_refine(const u8 *s, const u64 *key, u64 *sum) {\n  " + "\n  ".join(lines) + "\n}"
        )

    def refine_row(
        self, row: list[tuple[m.Variable, ArrayField, int | None]], pointer: str, owner: str | None
    ) -> Iterator[str]:
        """Tell the points of each cell about the others; `owner` is a C expression for the point of the process."""
        salt_of_orbit: dict[int, str] = {}
        for variable, place, point in row:
            here = self.indices(variable)
            look, value_point = self.seen(self.sort_of(variable), "v")
            parts, points = [look], [value_point]
            for sort, index in zip(self.index_sorts(variable), here, strict=True):
                index_look, index_point = self.seen(sort, index)
                parts.append(index_look)
                points.append(index_point)
            if point is not None:
                parts.append(f"key[{point}]")
                points.append(str(point))
            if owner is not None:
                parts.append(f"({owner} < 0 ? (u64)pid : key[{owner}])")
                points.append(owner)
            salt = self.salt() if point is None else salt_of_orbit.setdefault(self.plan.orbit[point], self.salt())
            value = read(*self.element(variable, place, pointer, here))
            yield "{ " + self.loops(variable, f"int v = {value}; {self.tell_all(salt, parts, points)}") + " }"

    def tell_all(self, salt: str, parts: list[str], points: list[str]) -> str:
        """Every point of a cell is told what the others look like, and in which role it was met."""
        text = f"u64 about = {salt};"
        for part in parts:
            text += f" about = hash_word(about ^ {part});"
        # That a cell joins a point with itself shows in the hash only by chance, so it is said.
        told = [point for point in points if point != "-1"]
        if len(told) > 1:
            text += " about += " + " + ".join(
                f"(u64)({a} >= 0 && {a} == {b})" for k, a in enumerate(told) for b in told[:k]
            ) + ";"  # fmt: skip
        for role, point in enumerate(points):
            if point != "-1":
                text += f" tell(sum, {point}, {role + 1} * 0x8EBC6AF09C88C6E3u, about);"
        return text

    def refine_processes(self) -> Iterator[str]:
        for k, (kind, place) in enumerate(zip(self.model.kinds, self.layout.kinds, strict=True)):
            numbers = self.processes_of(k)
            moved = [n for n in numbers if self.process_point(n) is not None]
            row = self.row(kind.variables, place.variables, "local", k)
            if not numbers or not (moved or row or self.location_moves(k)):
                continue
            process = self.points.sorts.process
            owner = f"point_sort{process.leader.number}(pid)" if moved else "-1"
            body = ["const u8 *p = s + bases[pid];", f"int own = {owner}; (void)own;"]
            if self.location_moves(k):
                at = f"point_location{k}({read(place.at, 'p')})"
                body.append(f"{{ int at = {at}; u64 look = at < 0 ? (u64){read(place.at, 'p')} : key[at];")
                body.append(
                    f"tell(sum, own, {self.salt()}, look); tell(sum, at, {self.salt()}, own < 0 ? (u64)pid : key[own]); }}"
                )
            body += self.refine_row(row, "p", "own")
            pids = array_of("pids", "u8", numbers, "static ")
            yield (
                f"{{ {pids} for (int k = 0; k < {len(numbers)}; k++) {{ int pid = pids[k];\n    "
                "if (pid >= process_count(s)) continue;\n    " + "\n    ".join(body) + "\n  } }"
            )

    def refine_channels(self) -> Iterator[str]:
        for type_, sort, numbers in self.channels():
            fields = list(self.message_fields(type_, sort))
            if not fields:
                continue
            own = f"point_sort{sort.leader.number}(number)" if self.is_moved(sort) else "-1"
            body = ["const u8 *c = s + offsets[number - 1];", f"int own = {own}; (void)own;"]
            for field, inner in fields:
                look, point = self.seen(inner, "v")
                value = read(field, f"(c + 1 + m * {type_.stride})")
                body.append(
                    f"for (int m = 0; m < c[0]; m++) {{ int v = {value}; "
                    + self.tell_all(
                        self.salt() + " + (u64)m", [look, "(own < 0 ? (u64)number : key[own])"], [point, "own"]
                    )
                    + " }"
                )
            yield (
                f"{{ {self.channel_tables(numbers)}\n    "
                f"for (int k = 0; k < {len(numbers)}; k++) {{ int number = numbers[k];\n    "
                + "\n    ".join(body)
                + "\n  } }"
            )

    # --- from when on ----------------------------------------------------------------------------

    def settled(self) -> str:
        """Whether the symmetries act: all processes have been started, and none that moves has died (none can)."""
        settled = self.points.settled
        if settled.starter is None:
            return "int model_settled(const u8 *s) { (void)s; return 1; }"
        starter = settled.starter
        kind = settled.state.processes[starter].kind
        at = read(self.layout.kinds[kind].at, f"(s + bases[{starter}])")
        spots = " || ".join(f"at == {spot}" for spot in sorted(settled.locations[starter])) or "0"
        return (
            f"int model_settled(const u8 *s) {{\n  if (process_count(s) <= {starter}) return 1;\n  int at = {at};\n"
            f"  return {spots};\n}}"
        )
