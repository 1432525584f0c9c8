"""Invariants that distinguish the parts of a packed state, in C, for the search for representatives (canonical.h).

    model_colour     adds to the key of each part a hash of its contents and of the parts that name it
    model_refine     one round of refinement: adds to the key of each part the keys of related parts
    model_same       whether two columns that no other part mentions have equal contents
    model_started    whether all processes have been started

A *cell* is a number in the state.  It has owners, the parts that it belongs to (the process whose variable it is, the
indices of an element, the channel of a message), and its value may name a part, too.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import count

from coset.engines.explicit.emit.action import Action, Row, array_of
from coset.engines.explicit.emit.expression import read
from coset.engines.explicit.layout import ArrayField, Field, Layout, MessageType
from coset.model import model as m
from coset.source.records import dataclass
from coset.symmetry.canonical.plan import Family, SymmetryPlan
from coset.symmetry.sorts import Sort
from coset.symmetry.startup import StartedStates


def process_tables(layout: Layout, plan: SymmetryPlan) -> str:
    """Which points are processes: of each that moves its number and its point, and of each point its process."""
    number = plan.points.sorts.process.leader.number
    places = {p.item: k for k, p in enumerate(plan.moved) if p.what == "value" and p.number == number}
    moved = {pid: k for pid, k in places.items() if 0 <= pid < len(layout.plan.slots)}
    process_at = {k: pid for pid, k in places.items()}
    return "\n".join([
        f"enum {{ MOVED_PROCESSES = {len(moved)} }};",
        array_of("moved_process", "uint16_t", moved, "static "),
        array_of("process_point", "uint16_t", moved.values(), "static "),
        array_of("process_at", "uint16_t", (process_at.get(k, 0) for k in range(len(plan.moved))), "static "),
    ])  # fmt: skip


def symmetry_functions(layout: Layout, plan: SymmetryPlan, is_fair: bool = False) -> list[str]:
    """C for the plan of a group; under fairness it tells how processes are renumbered."""
    emitter = Emitter(layout, plan)
    colour, refine = emitter.colour_and_refine()
    macros = [
        f"#define POINTS {len(plan.moved)}",
        f"#define PARTS {max(emitter.part.values()) + 1}",
        f"#define MODEL_REFINES {int(emitter.refines)}",
        process_tables(layout, plan) if is_fair else "",
        '#include "group.h"',
    ]
    return ["\n".join(macros), *emitter.tables(), *emitter.maps(), emitter.permute(), colour, refine, emitter.same(),
            started_function(layout, plan.started), '#include "canonical.h"', '#include "generators.h"']  # fmt: skip


NOWHERE = "0"


def unless_moved(number: str, may_move: bool) -> str:
    """The number of a process or a channel as part of a key.  If symmetries move it (`own` is its part), it must not be part of
    the key: a part and its images have the same key."""
    return f"(own < 0 ? {number} : 0u)" if may_move else number


@dataclass(frozen=True, slots=True)
class Cell:
    """C expressions of a cell: its salt, its owners, its position as far as symmetries fix it, and the table of its values if
    symmetries move some of them.  The value itself is `v`.

    A key must be invariant: key(g(s), g(q)) = key(s, q) for all symmetries g.  So salts and `where` may depend only on
    what no symmetry changes."""

    salt: str
    owners: tuple[str, ...]
    where: str
    table: str | None

    def colour(self) -> str:
        part, row = (f"part_{self.table}(v)", f"row_{self.table}(v)") if self.table else ("-1", "0")
        if len(self.owners) > 1:
            marks = [f"mark(mentioned, {each});" for each in (*self.owners, part)]
            return " ".join(marks)
        own = self.owners[0] if self.owners else "-1"
        if self.table is None:
            return f"tell(sum, {own}, {self.salt}, (u64)(uint32_t)v);"
        text = f"int q = {part}; u64 row = {row};"
        if self.owners:
            text += f" tell(sum, {own}, {self.salt}, class_of({own}, q, v, row));"
        return text + f" mention(sum, mentioned, {own}, q, {self.salt} + row, {self.where});"

    def refine(self) -> str:
        """C that adds to the keys of the parts that the cell joins; empty if it joins no two parts."""
        if len(self.owners) == 1 and self.table is not None:
            return f"introduce(sum, key, {self.owners[0]}, part_{self.table}(v), {self.salt}, row_{self.table}(v));"
        if len(self.owners) < 2:
            return ""
        parts = [*self.owners, *([f"part_{self.table}(v)"] if self.table else [])]
        row = f"row_{self.table}(v)" if self.table else "0"
        text = f"u64 about = {self.salt} + {row} + ({self.where});"
        if self.table is None:
            text += " about = hash_word(about ^ (u64)(uint32_t)v);"
        for part in parts:
            fixed = "(u64)(uint32_t)v" if part is parts[-1] and self.table else "0"
            text += f" about = hash_word(about ^ ({part} < 0 ? {fixed} : key[{part}]));"
        # That a cell joins a part with itself would show in the hash only by chance, so it is added explicitly.
        pairs = (f"(u64)({a} >= 0 && {a} == {b}) * {3 ** i}u" for i, (a, b) in enumerate(
            (a, b) for k, a in enumerate(parts) for b in parts[:k]))  # fmt: skip
        text += " about += " + " + ".join(pairs) + ";"
        for role, part in enumerate(parts):
            text += f" tell(sum, {part}, {role + 1} * 0x8EBC6AF09C88C6E3u, about);"
        return text


class Emitter(Action):
    def __init__(self, layout: Layout, plan: SymmetryPlan) -> None:
        super().__init__(layout, plan)
        self.salts = count(1)
        self.shared_salts: dict[Hashable, str] = {}
        self.refines = False
        """Whether there are cells that join two parts."""

    def salt(self, *key: Hashable) -> str:
        """A new salt, or the one of a key: what symmetries exchange must have the same."""
        if key and key in self.shared_salts:
            return self.shared_salts[key]
        found = f"{next(self.salts) * 0x9E3779B97F4A7C15 & (1 << 64) - 1:#x}u"
        if key:
            self.shared_salts[key] = found
        return found

    def table(self, sort: Sort) -> str | None:
        """The name of the tables of a sort, if some of its values move."""
        return f"sort{sort.leader.number}" if self.is_moved(sort) else None

    # --- keys ------------------------------------------------------------------------------------

    def colour_and_refine(self) -> tuple[str, str]:
        """The functions `model_colour` and `model_refine`, which visit the same cells."""
        colour, refine = list(self.holdings()), list[str]()
        for before, cells, after in self.cells():
            colour.append(before + "".join(f"{{ {loop % cell.colour()} }} " for loop, cell in cells) + after)
            inner = "".join(f"{{ {loop % cell.refine()} }} " for loop, cell in cells if cell.refine())
            if inner:
                refine.append(before + inner + after)
        self.refines = bool(refine)
        unused = "(void)s; (void)sum; (void)mentioned;"
        return (
            "static void model_colour(const u8 *s, u64 *sum, u8 *mentioned) {\n  "
            + "\n  ".join([unused, *colour])
            + "\n}",
            "static void model_refine(const u8 *s, const u64 *key, u64 *sum) {\n  "
            + "\n  ".join(["(void)s; (void)key; (void)sum;", *refine])
            + "\n}",
        )

    def holdings(self) -> Iterator[str]:
        """C that adds the contents of processes and channels that no symmetry changes."""
        for k in range(len(self.model.kinds)):
            moved = [n for n in self.processes_of(k) if self.process_point(n) is not None]
            if moved:
                pids = array_of("pids", "u8", moved, "static ")
                own = f"part_{self.table(self.points.sorts.process)}(pids[k])"
                hashed = self.masked_hash("p", self.own_size(k), self.hidden(k))
                yield (
                    f"{{ {pids} for (int k = 0; k < {len(moved)}; k++) {{ const u8 *p = s + bases[pids[k]]; "
                    f"{hashed} tell(sum, {own}, {self.salt('process', self.first_of('location', k))}, h); }} }}"
                )
        for type_, sort, numbers in self.channels():
            if self.is_moved(sort):
                table = self.table(sort)
                hidden = [field for k in range(type_.capacity) for field in self.message(type_, sort, k)]
                salt = self.salt("channel", *self.alike(type_, sort))
                yield (
                    f"{{ {self.channel_tables(numbers)}\n    for (int k = 0; k < {len(numbers)}; k++) {{ "
                    f"int number = numbers[k]; const u8 *c = s + offsets[number - 1]; "
                    f"{self.masked_hash('c', type_.size, hidden)} "
                    f"tell(sum, part_{table}(number), {salt} + row_{table}(number), h); }} }}"
                )

    def hidden(self, kind: int) -> list[Field]:
        """The fields of a process that are cells."""
        place = self.layout.kinds[kind]
        fields = [place.at] if self.location_moves(kind) else []
        for _, array, _ in self.row(self.model.kinds[kind].variables, place.variables, "local", kind):
            fields += [array.element(i) for i in range(array.count)]
        return fields

    def message(self, type_: MessageType, sort: Sort, k: int) -> list[Field]:
        """The fields of the k-th message of a channel that are cells."""
        return [
            Field(1 + k * type_.stride + field.offset, field.bits, field.shift)
            for field, _ in self.message_fields(type_, sort)
        ]

    def masked_words(self, size: int, hidden: Sequence[Field]) -> Iterator[tuple[int, int, str]]:
        """The words of a byte range: offset, length, and the mask of the bits that are not cells."""
        mask = (1 << 8 * size) - 1
        for field in hidden:
            mask &= ~(((1 << field.bits) - 1) << (8 * field.offset + field.shift))
        for at in range(0, size, 8):
            word = mask >> 8 * at & (1 << 64) - 1
            if word:
                yield at, min(8, size - at), f"{word:#x}u"

    def masked_hash(self, pointer: str, size: int, hidden: Sequence[Field]) -> str:
        """C that sets `h` to a hash of some bytes without the bits of some fields."""
        text = "u64 h = 0;"
        for at, length, mask in self.masked_words(size, hidden):
            text += f" {{ u64 w = 0; memcpy(&w, {pointer} + {at}, {length}); h = fold(h ^ (w & {mask}), 0xA0761D6478BD642Fu); }}"
        return text

    # --- cells -----------------------------------------------------------------------------------

    def cells(self) -> Iterator[tuple[str, list[tuple[str, Cell]], str]]:
        """Cells that are visited together: C before them, for each cell C with a placeholder (`%s`) where its value is `v`, and
        C after them."""
        process = self.points.sorts.process
        if self.layout.mover is not None and self.is_moved(process):
            value = read(self.layout.mover, "s")
            yield "", [(f"int v = {value}; %s", Cell(self.salt(), (), NOWHERE, self.table(process)))], ""
        row = self.row(self.model.variables, self.layout.variables, "global", 0)
        yield "", list(self.cells_of_row(row, "s", (), NOWHERE)), ""
        yield from self.cells_of_processes()
        yield from self.cells_of_channels()

    def cells_of_row(self, row: Row, pointer: str, owners: tuple[str, ...], where: str) -> Iterator[tuple[str, Cell]]:
        for variable, place, point in row:
            salt = self.salt() if point is None else self.salt("variable", self.plan.orbit[point])
            if where != NOWHERE:
                salt += f" + {where} * 0xD6E8FEB86659FD93u"
            mine, position = list(owners), where
            if point is not None:
                mine.append(str(self.part[point]))
            for sort, index in zip(self.index_sorts(variable), self.indices(variable), strict=True):
                if self.is_moved(sort):
                    mine.append(f"part_{self.table(sort)}({index})")
                    salt += f" + row_{self.table(sort)}({index})"
                    position = f"{position} * 65536u + (part_{self.table(sort)}({index}) < 0 ? {index} + 1u : 0u)"
                else:
                    salt += f" + {index} * 0xC2B2AE3D27D4EB4Fu"
            value = read(*self.element(variable, place, pointer, self.indices(variable)))
            cell = Cell(f"({salt})", tuple(mine), f"({position})", self.table(self.sort_of(variable)))
            yield self.loops(variable, f"int v = {value}; (void)v; %s"), cell

    def cells_of_processes(self) -> Iterator[tuple[str, list[tuple[str, Cell]], str]]:
        for k, (kind, place) in enumerate(zip(self.model.kinds, self.layout.kinds, strict=True)):
            numbers = self.processes_of(k)
            row = self.row(kind.variables, place.variables, "local", k)
            if not numbers or not (row or self.location_moves(k)):
                continue
            is_moved = any(self.process_point(n) is not None for n in numbers)
            owners = ("own",) if is_moved else ()
            where = unless_moved("(u64)pid", is_moved)
            cells = list(self.cells_of_row(row, "p", owners, where))
            if self.location_moves(k):
                salt = self.salt("location", self.first_of("location", k))
                cells.append((f"int v = {read(place.at, 'p')}; %s", Cell(salt, owners, where, f"location{k}")))
            own = f"int own = part_{self.table(self.points.sorts.process)}(pid); (void)own; " if is_moved else ""
            pids = array_of("pids", "u8", numbers, "static ")
            yield (
                f"{{ {pids} for (int k = 0; k < {len(numbers)}; k++) {{ int pid = pids[k];\n    "
                f"if (pid >= process_count(s)) continue;\n    const u8 *p = s + bases[pid]; {own}\n    ",
                cells,
                "\n  } }",
            )

    def cells_of_channels(self) -> Iterator[tuple[str, list[tuple[str, Cell]], str]]:
        for type_, sort, numbers in self.channels():
            cells = []
            owners = ("own",) if self.is_moved(sort) else ()
            where = unless_moved("(u64)number", self.is_moved(sort))
            for field, inner in self.message_fields(type_, sort):
                value = read(field, f"(c + 1 + m * {type_.stride})")
                salt = self.salt("message", *self.alike(type_, sort), field.offset, field.shift)
                cell = Cell(f"({salt} + (u64)m)", owners, where, self.table(inner))
                cells.append((f"for (int m = 0; m < c[0]; m++) {{ int v = {value}; %s }}", cell))
            if cells:
                own = f"int own = part_{self.table(sort)}(number); (void)own; " if owners else ""
                yield (
                    f"{{ {self.channel_tables(numbers)}\n    for (int k = 0; k < {len(numbers)}; k++) {{ "
                    f"int number = numbers[k]; const u8 *c = s + offsets[number - 1]; {own}\n    ",
                    cells,
                    "\n  } }",
                )

    # --- twins -----------------------------------------------------------------------------------

    def same(self) -> str:
        """Whether exchanging two columns that no other part mentions changes nothing.  If that is hard to decide, the answer is
        no, and the search tries it."""
        body = []
        if self.plan.strategy == "sort" and not self.has_entangled_cells():
            first = 0
            for family in self.plan.families:
                tests = "\n    ".join(self.same_columns(family))
                body.append(
                    f"if (a >= {first} && a < {first + len(family)}) {{\n    int i = a - {first}, j = b - {first}; "
                    f"(void)i; (void)j;\n    {tests}\n    return 1;\n  }}"
                )
                first += len(family)
        lines = "\n  ".join(["(void)s; (void)a; (void)b;", *body, "return 0;"])
        return f"static int model_same(const u8 *s, int a, int b) {{\n  {lines}\n}}"

    def alike(self, type_: MessageType, sort: Sort) -> tuple[int, int]:
        """What channels that symmetries exchange have in common."""
        return type_.number, self.first_of("value", sort.leader.number)

    def has_entangled_cells(self) -> bool:
        """Whether there are cells with two owners, variables of processes that move within them, or exchanged kinds or sorts."""
        if self.firsts or any(point.what == "local" for point in self.plan.moved):
            return True
        return any(len(cell.owners) > 1 for _, cells, _ in self.cells() for _, cell in cells)

    def same_columns(self, family: Family) -> Iterator[str]:
        """Tests of the i-th and the j-th column; each returns 0 if they differ."""
        process = self.points.sorts.process.leader.number
        slots = {n: (t, sort) for t, sort, numbers in self.channels() for n in numbers}
        sorts = {sort.number: sort for sort in self.sorts}
        for points in zip(*family, strict=True):
            items = [self.plan.moved[x].item for x in points]
            point = self.plan.moved[points[0]]
            table = array_of("items", "int", items, "static ")
            if point.what == "global" and self.model.variables[point.item] in self.assigned:
                yield from self.same_variables([self.model.variables[item] for item in items])
            if point.what != "value":
                continue
            if point.number == process:
                kind = self.points.started.state.processes[point.item].kind
                yield f"{{ {table} {' '.join(self.same_processes(kind))} }}"
            elif sorts[point.number].objects == "channel" and point.item in slots:
                type_, sort = slots[point.item]
                yield f"{{ {table} {' '.join(self.same_channels(type_, sort))} }}"
            for variable, place, _ in self.row(self.model.variables, self.layout.variables, "global", 0):
                if self.is_indexed_by(variable, point.number):
                    yield f"{{ {table} {self.same_elements(variable, place, point.number, 's')} }}"
            yield from self.same_elements_of_processes(table, point.number)

    def is_indexed_by(self, variable: m.Variable, sort: int) -> bool:
        """Whether one of the indices of an array moves, and is of this sort; cells with two such are entangled."""
        return [s.number for s in self.index_sorts(variable) if self.is_moved(s)] == [sort]

    def same_elements_of_processes(self, table: str, sort: int) -> Iterator[str]:
        """Tests of arrays in processes that symmetries fix."""
        for k, (kind, place) in enumerate(zip(self.model.kinds, self.layout.kinds, strict=True)):
            numbers = self.processes_of(k)
            if any(self.process_point(n) is not None for n in numbers):
                continue  # cells with two owners, or with none that moves
            for variable, array, _ in self.row(kind.variables, place.variables, "local", k):
                if numbers and self.is_indexed_by(variable, sort):
                    pids = array_of("pids", "u8", numbers, "static ")
                    yield (
                        f"{{ {table} {pids} for (int k = 0; k < {len(numbers)} && pids[k] < process_count(s); k++) "
                        f"{{ const u8 *p = s + bases[pids[k]]; {self.same_elements(variable, array, sort, 'p')} }} }}"
                    )

    def differ(self, table: str | None, one: str, other: str) -> str:
        """C that returns 0 unless two values correspond: they are equal, or each names its own column in the same row."""
        if table is None:
            return f"if ({one} != {other}) return 0;"
        return (
            f"{{ int v = {one}, w = {other}; if (v != w && (part_{table}(v) != a || part_{table}(w) != b "
            f"|| row_{table}(v) != row_{table}(w))) return 0; }}"
        )

    def same_bytes(self, size: int, hidden: Sequence[Field]) -> Iterator[str]:
        for at, length, mask in self.masked_words(size, hidden):
            yield (
                f"{{ u64 v = 0, w = 0; memcpy(&v, p + {at}, {length}); memcpy(&w, r + {at}, {length}); "
                f"if ((v ^ w) & {mask}) return 0; }}"
            )

    def same_processes(self, kind: int) -> Iterator[str]:
        place = self.layout.kinds[kind]
        yield "if (items[i] >= process_count(s) || items[j] >= process_count(s)) return 0;"
        yield "const u8 *p = s + bases[items[i]], *r = s + bases[items[j]]; (void)p; (void)r;"
        yield from self.same_bytes(self.own_size(kind), self.hidden(kind))
        if self.location_moves(kind):
            yield self.differ(f"location{kind}", read(place.at, "p"), read(place.at, "r"))
        for variable, array, _ in self.row(self.model.kinds[kind].variables, place.variables, "local", kind):
            for k in range(array.count):
                field = array.element(k)
                yield self.differ(self.table(self.sort_of(variable)), read(field, "p"), read(field, "r"))

    def same_channels(self, type_: MessageType, sort: Sort) -> Iterator[str]:
        offsets = ", ".join(str(offset) for _, offset in self.layout.channel_table())
        yield f"static const int offsets[] = {{{offsets}}};"
        yield "const u8 *p = s + offsets[items[i] - 1], *r = s + offsets[items[j] - 1];"
        fields = [field for k in range(type_.capacity) for field in self.message(type_, sort, k)]
        yield from self.same_bytes(type_.size, fields)
        for field, inner in self.message_fields(type_, sort):
            at = f"1 + m * {type_.stride}"
            test = self.differ(self.table(inner), read(field, f"(p + {at})"), read(field, f"(r + {at})"))
            yield f"for (int m = 0; m < p[0]; m++) {{ {test} }}"

    def same_elements(self, variable: m.Variable, place: ArrayField, sort: int, pointer: str) -> str:
        """Elements of an array with one index that moves."""
        one, other = self.indices(variable), self.indices(variable)
        bounds = ""
        body = "%s"
        for d, index_sort in enumerate(self.index_sorts(variable)):
            if index_sort.number == sort:
                one[d], other[d] = "items[i]", "items[j]"
                bounds = f"if (items[i] < {variable.shape[d]} && items[j] < {variable.shape[d]}) "
            else:
                body = f"for (int i{d} = 0; i{d} < {variable.shape[d]}; i{d}++) {{ {body} }}"
        values = (read(*self.element(variable, place, pointer, each)) for each in (one, other))
        return bounds + "{ " + body % self.differ(self.table(self.sort_of(variable)), *values) + " }"

    def same_variables(self, variables: Sequence[m.Variable]) -> Iterator[str]:
        places = [self.layout.variables.get(variable) for variable in variables]
        for k in range(places[0].count if places[0] is not None else 0):
            reads = [read(place.element(k), "s") for place in places if place is not None]
            values = ", ".join(reads)
            yield f"{{ const int x[] = {{{values}}}; {self.differ(self.table(self.sort_of(variables[0])), 'x[i]', 'x[j]')} }}"


def started_function(layout: Layout, started: StartedStates) -> str:
    """Whether the symmetries act on a state: all processes have been started (and none that moves can have terminated)."""
    if started.starter is None:
        return "static int model_started(const u8 *s) { (void)s; return 1; }"
    starter = started.starter
    kind = started.state.processes[starter].kind
    at = read(layout.kinds[kind].at, f"(s + bases[{starter}])")
    spots = " || ".join(f"at == {spot}" for spot in sorted(started.locations[starter])) or "0"
    return (
        f"static int model_started(const u8 *s) {{\n  if (process_count(s) <= {starter}) return 1;\n  int at = {at};\n"
        f"  return {spots};\n}}"
    )
