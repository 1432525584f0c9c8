"""The tables of a product of symmetric groups, or of their wreath products, that acts on packed states, in C (by_columns.h).

Each symmetric group exchanges columns: a process, with the elements of arrays at its index and its channels.  A component of the
state belongs to one column, or to none if it only names columns, such as the turn in Peterson's algorithm.

    column 0: P[0], flag[0]      column 1: P[1], flag[1]      none: turn

In a wreath product some columns are children of others (forest.py, nested_columns.h).  The tables then know all permutations of
a generation of columns, of which the group has some.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from coset.engines.explicit.components import Coding, Components
from coset.engines.explicit.emit.equivariant import equivariant_tables, template_table
from coset.engines.explicit.emit.forest import Generation, forest
from coset.engines.explicit.emit.movement import Movement, action, are_confused_with_none, braced, unchanged
from coset.model.state import State
from coset.source.records import dataclass
from coset.symmetry.canonical.anonymous_plan import AnonymousPlan
from coset.symmetry.canonical.literal_plan import LiteralPlan
from coset.symmetry.canonical.plan import SymmetryPlan, numbers
from coset.symmetry.groups.recognition import describe

MOST_COLUMNS = 15
"""A permutation of columns is kept in a word, with four bits for each; four are left for a mark."""
MOST_ACTIVE = 64
"""Components that symmetries change: each is a bit of a word."""
MOST_VALUES = 1 << 16
"""Values that a component is expected to have.  Each that it may have takes 64 bytes of address space, or more."""
NO_COLUMN = 255

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ColumnNumbering:
    """Which components the columns have.  Columns have numbers, those of a family one after the other."""

    families: list[range]
    """The columns of each generation."""
    parents: list[int]
    """For each column its parent, or NO_COLUMN."""
    points: list[tuple[int, ...]]
    """The points of each column."""
    active: list[int]
    """The components that some symmetry moves, or in which it renames something."""
    rows: list[list[int]]
    """For each column its components; those of the same family in the same order."""
    starter: int
    template: State
    """A state in which symmetries act."""

    @property
    def is_nested(self) -> bool:
        """Whether some columns are children of others."""
        return any(parent != NO_COLUMN for parent in self.parents)

    @property
    def others(self) -> list[int]:
        """The components in no column, by their places in `active`."""
        owned = {k for row in self.rows for k in row}
        return [place for place, k in enumerate(self.active) if k not in owned]

    def constants(self, coding: Coding) -> list[str]:
        """C constants for the header."""
        return [
            "#define MODEL_NUMBERED 1",
            "#define MODEL_SORTED 1",
            f"#define MODEL_EQUIVARIANT {int(coding.is_aligned)}",
            f"#define MODEL_NESTED {int(self.is_nested)}",
            f"#define OTHERS {len(self.others)}",
            f"#define COLUMNS {len(self.rows)}",
            f"#define FAMILIES {len(self.families)}",
            f"#define COLUMN_SIZE {max(map(len, self.rows))}",
            f"#define ACTIVE {len(self.active)}",
        ]

    def tables(self, coding: Coding) -> str:
        """The tables in C."""
        place = {k: n for n, k in enumerate(self.active)}
        owner, row = [NO_COLUMN] * len(place), [0] * len(place)
        for column, mine in enumerate(self.rows):
            for k, component in enumerate(mine):
                owner[place[component]], row[place[component]] = column, k
        widest = max(map(len, self.rows))
        at = ", ".join(braced([place[k] for k in mine] + [len(place)] * (widest - len(mine))) for mine in self.rows)
        families = ", ".join(braced([each.start, len(each)]) for each in self.families)
        return "\n".join([
            '#include "numbered.h"',
            f"const uint16_t model_active[ACTIVE] = {braced(self.active)};",
            f"const u8 model_owner[ACTIVE] = {braced(owner)};",
            f"const u8 model_row[ACTIVE] = {braced(row)};",
            f"const uint16_t model_at[COLUMNS][COLUMN_SIZE] = {{{at}}};",
            f"const u8 model_families[FAMILIES][2] = {{{families}}};",
            f"const int model_starter = {self.starter};",
            f"const uint16_t model_others[] = {braced(self.others or [0])};",
            template_table(coding.components, self.template),
            *(self.forest_tables() if self.is_nested else ()),
            '#include "columns_of_model.h"',
            *(self.common_numbers(coding.components) if coding.is_aligned else ()),
        ])  # fmt: skip

    def forest_tables(self) -> list[str]:
        """The tables for columns that move with others, and the points of all columns."""
        every, family_of = range(len(self.rows)), {q: k for k, family in enumerate(self.families) for q in family}
        siblings = [[r for r in self.families[family_of[q]] if self.parents[r] == self.parents[q]] for q in every]
        widest = max(map(len, self.points))
        points = ", ".join(braced([*each, *[0] * (widest - len(each))]) for each in self.points)
        return [
            f"const u8 model_parent[COLUMNS] = {braced(self.parents)};",
            f"const u8 model_siblings[COLUMNS] = {braced([len(each) for each in siblings])};",
            f"const u8 model_eldest[COLUMNS] = {braced([each[0] for each in siblings])};",
            f"const u8 model_is_parent[COLUMNS] = {braced([int(q in self.parents) for q in every])};",
            f"const u8 model_generation[COLUMNS] = {braced([family_of[q] for q in every])};",
            f"static const u8 column_width[COLUMNS] = {braced([len(each) for each in self.points])};",
            f"static const u16 column_points[COLUMNS][{widest}] = {{{points}}};",
        ]

    def common_numbers(self, components: Components) -> list[str]:
        """The tables for numbers that columns have in common."""
        columns = [[self.rows[k] for k in family] for family in self.families]
        return [*equivariant_tables(components, columns), '#include "relocation.h"']


def columns_of(components: Components, plan: SymmetryPlan | LiteralPlan | AnonymousPlan) -> ColumnNumbering | None:
    """The components of columns; None if there are no columns, or if they do not move as a whole."""
    if not isinstance(plan, SymmetryPlan) or not (generations := generations_of(plan)):
        return None
    families, parents = list[range](), list[int]()
    for each in generations:
        first = len(parents)
        families.append(range(first, first + len(each.columns)))
        above = [NO_COLUMN] if each.parents is None else list(families[each.parents])
        share = len(each.columns) // len(above)
        parents += [parent for parent in above for _ in range(share)]
    if len(parents) > MOST_COLUMNS:
        return None
    exchanges = {
        (family[i], family[j]): action(plan, exchange(plan, columns[i], columns[j]))
        for family, columns in zip(families, (each.columns for each in generations), strict=True)
        for i, j in combinations(range(len(columns)), 2)
    }
    moves = {pair: Movement(components, each) for pair, each in exchanges.items()}
    if not all(each.is_whole for each in moves.values()) or are_confused_with_none(
        components, list(moves.values()), plan.started
    ):
        return None
    rows = rows_of(families, moves)
    if rows is None:
        return None
    fixed = unchanged(components, list(exchanges.values()), plan.started.states)
    active = [
        k for k in range(len(components.all)) if any(each.touches(k) for each in moves.values()) and k not in fixed
    ]
    rows = [[k for k in mine if k not in fixed] for mine in rows]
    if not 0 < len(active) <= MOST_ACTIVE:
        return None
    starter = plan.started.starter
    points = [column for each in generations for column in each.columns]
    return ColumnNumbering(
        families, parents, points, active, rows, -1 if starter is None else starter, plan.started.state
    )


def generations_of(plan: SymmetryPlan) -> list[Generation]:
    """The columns of a product of symmetric groups or of their wreath products; none for other groups."""
    if plan.strategy == "sort":
        return [Generation(family, None) for family in plan.families]
    number = numbers(plan.symmetry.group)
    found = forest(describe(plan.symmetry.group)) if plan.strategy == "chain" else None
    return [
        Generation(tuple(tuple(number[x] for x in column) for column in each.columns), each.parents)
        for each in found or ()
    ]


def number_columns(coding: Coding, plan: SymmetryPlan | LiteralPlan | AnonymousPlan) -> ColumnNumbering | None:
    """The columns of packed states; None also if components have so many values that looking them up does not pay."""
    found, every = columns_of(coding.components, plan), coding.components.all
    if found is None or any(coding.counts[every[k].sort] > MOST_VALUES for k in found.active):
        return None
    return found


def exchange(plan: SymmetryPlan, one: Sequence[int], other: Sequence[int]) -> tuple[int, ...]:
    """The permutation of points that exchanges two columns."""
    table = list(range(len(plan.moved)))
    for x, y in zip(one, other, strict=True):
        table[x], table[y] = y, x
    return tuple(table)


def rows_of(families: Sequence[range], moves: dict[Pair, Movement]) -> list[list[int]] | None:
    """The components of each column; None if some component belongs to two columns, as an element with two indices does."""
    rows: list[list[int]] = []
    for family in families:
        if len(family) == 2:  # either of the two may be called the first
            image = moves[family[0], family[1]].image
            mine = sorted(k for k in image if k < image[k])
        else:
            pairs = [moves[pair].image for pair in combinations(family[1:], 2)]
            moved = moves[family[0], family[1]].image
            mine = sorted(k for k in moved if not any(k in image for image in pairs))
        rows.append(mine)
        rows += [[moves[family[0], each].image.get(k, -1) for k in mine] for each in family[1:]]
    owner = {k: column for column, mine in enumerate(rows) for k in mine}
    for (i, j), move in moves.items():
        expected = {**dict(zip(rows[i], rows[j])), **dict(zip(rows[j], rows[i]))}
        if move.image != expected or any(owner.get(k) not in (i, j) for k in move.image):
            return None
    return rows
