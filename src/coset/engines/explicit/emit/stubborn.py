"""The accesses of processes, now and later, as masks in C, for the choice of stubborn sets (runtime/search/stubborn.h).

    model_against(ctx, s, pid, against)    what conflicts with the steps of a process from its current location
    model_later(ctx, s, pid, of)           what it may touch from now on; depends on nothing but its location
    model_observed(ctx, s, of)             what the property sees; the same in every state

There is one mask of 64 bits for each aspect that occurs in the model.  An object has one bit; if there are more objects than
bits, they share bits, which only makes sets larger.  An index or channel that depends on the process's own variables is
evaluated in the state.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from coset.engines.explicit.emit.expression import READ, Expressions, read
from coset.engines.explicit.layout import Layout
from coset.model import model as m
from coset.model.analysis import Access, Aspect
from coset.model.analysis.accesses import ChannelSet, Region, Subject, When
from coset.model.analysis.aspects import adverse
from coset.model.analysis.facts import Facts
from coset.model.analysis.occurrences import property_expressions

BITS = 64
EVERY = (1 << BITS) - 1


def stubborn_functions(layout: Layout, facts: Facts) -> tuple[int, list[str]]:
    """The number of aspects and the C for a model, by the facts about its visibility."""
    emitter = Emitter(layout, facts)
    functions = list(emitter.functions())
    return emitter.aspects, functions


class Emitter:
    def __init__(self, layout: Layout, facts: Facts) -> None:
        self.layout, self.accesses = layout, facts.accesses
        self.model = layout.interpreter.model
        self.x = Expressions(layout)
        self.first_bit: dict[m.Variable | Region, int] = {}
        self.bits = 0
        self.number: dict[Aspect, int] = {}

    def functions(self) -> Iterator[str]:
        steps = [[self.accesses.step(kind, at) for at in range(len(kind.locations))] for kind in self.model.kinds]
        futures = [list(self.accesses.future(kind.name)) for kind in self.model.kinds]
        observed = self.accesses.observed(property_expressions(self.model))
        accesses = observed.union(*itertools.chain(*steps, *futures))
        self.give_bits(accesses)
        touched = {access.aspect for access in accesses}
        self.number = {aspect: number for number, aspect in enumerate(each for each in Aspect if each in touched)}
        now: list[str] = []
        later: list[str] = []
        for k in range(len(self.model.kinds)):
            yield self.by_location("now", k, steps[k])
            yield self.by_location("later", k, futures[k])
            now.append(f"case {k}: now_{k}(ctx, s, pid, of); break;")
            later.append(f"case {k}: later_{k}(ctx, s, pid, of); break;")
        opposed = " ".join(map(self.opposed, self.number)) or "against[0] = 0;"
        yield (
            "void model_against(struct context *ctx, const u8 *s, int pid, u64 *against) {\n"
            f"  u64 of[ASPECTS] = {{0}};\n  switch (kind_of(s, pid)) {{ {' '.join(now)} default: break; }}\n"
            f"  ctx->fault = FAULT_NONE;\n  {opposed}\n}}"
        )
        yield (
            "void model_later(struct context *ctx, const u8 *s, int pid, u64 *of) {\n"
            "  memset(of, 0, ASPECTS * sizeof *of);\n"
            f"  switch (kind_of(s, pid)) {{ {' '.join(later)} default: break; }}\n  ctx->fault = FAULT_NONE;\n}}"
        )
        seen = " ".join(self.statements(observed))
        yield (
            "void model_observed(struct context *ctx, const u8 *s, u64 *of) {\n"
            "  const u8 *p = s; const int pid = -1; (void)ctx; (void)p; (void)pid;\n"
            f"  memset(of, 0, ASPECTS * sizeof *of);\n  {seen}\n}}"
        )

    @property
    def aspects(self) -> int:
        return max(1, len(self.number))

    def opposed(self, aspect: Aspect) -> str:
        """C that adds up what conflicts with an aspect."""
        masks = " | ".join(f"of[{self.number[other]}]" for other in adverse(aspect) if other in self.number)
        return f"against[{self.number[aspect]}] = {masks or '0'};"

    def by_location(self, name: str, k: int, touched: Iterable[frozenset[Access]]) -> str:
        """A function that adds the accesses at the location of a process; locations with equal accesses share a case."""
        bodies: dict[str, list[int]] = {}
        for number, accesses in enumerate(touched):
            bodies.setdefault(" ".join(self.statements(accesses)), []).append(number)
        cases = [
            " ".join(f"case {number}:" for number in numbers) + f" {body} break;"
            for body, numbers in bodies.items()
            if body
        ]
        inner = "\n    ".join(cases)
        return (
            f"static void {name}_{k}(struct context *ctx, const u8 *s, int pid, u64 *of) {{\n"
            f"  const u8 *p = s + bases[pid];\n  (void)ctx; (void)p; (void)of;\n"
            f"  switch ({read(self.layout.kinds[k].at, 'p')}) {{\n    {inner}\n    default: break;\n  }}\n}}"
        )

    def statements(self, accesses: Iterable[Access]) -> Iterator[str]:
        """C that adds accesses: for each aspect a constant, and what depends on the state."""
        constant: dict[Aspect, int] = {}
        rest: set[str] = set()
        for access in accesses:
            mask, condition = self.mask(access), self.condition(access)
            if isinstance(mask, int) and not condition:
                constant[access.aspect] = constant.get(access.aspect, 0) | mask
            else:
                text = f"{mask:#x}u" if isinstance(mask, int) else mask
                test = f"if ({condition}) " if condition else ""
                rest.add(f"{test}of[{self.number[access.aspect]}] |= {text};")
        for aspect, known in sorted(constant.items(), key=lambda pair: self.number[pair[0]]):
            if known:
                yield f"of[{self.number[aspect]}] |= {known:#x}u;"
        yield from sorted(rest)

    def condition(self, access: Access) -> str:
        """The C condition under which an access counts, if it counts only while a process waits; empty if it is not static."""
        match access.when, access.subject:
            case When.EMPTY, ChannelSet(x) if x is not None:
                return f"{self.x.length(x, READ)} == 0"
            case When.FULL, ChannelSet(x) if x is not None:
                return f"{self.x.length(x, READ)} >= {self.x.capacity(x, READ)}"
        return ""

    # --- objects as bits -------------------------------------------------------------------------

    def mask(self, access: Access) -> int | str:
        """The bits of the objects that an access may touch: a number if they are known statically, otherwise C."""
        match access.subject:
            case m.Variable() as variable:
                return self.element(variable, access)
            case ChannelSet() as channels:
                return self.channel(channels)
        return 1 << self.bit(access.subject)

    def give_bits(self, accesses: Iterable[Access]) -> None:
        """Assign a bit to each object that is touched, in the order of the model.  The iteration order of sets differs between
        Python processes; the generated program must not depend on it, or neither cached libraries nor checkpoints would
        be found again."""
        touched = {access.subject for access in accesses}
        variables = [*self.model.variables, *(each for kind in self.model.kinds for each in kind.variables)]
        regions = [subject for subject in touched if isinstance(subject, Region)]
        for variable in variables:
            if variable in touched:
                self.bit(variable)
        for region in sorted(regions, key=lambda region: (region.kind, sorted(region.locations))):
            self.bit(region)

    def bit(self, subject: Subject) -> int:
        """The bit of the first element; the table of processes has a fixed one, which other objects may share."""
        if not isinstance(subject, m.Variable | Region):
            return 0
        if subject not in self.first_bit:
            self.first_bit[subject] = self.bits
            self.bits += subject.size if isinstance(subject, m.Variable) else 1
        return self.first_bit[subject] % BITS

    def element(self, variable: m.Variable, access: Access) -> int | str:
        first, size = self.bit(variable), variable.size
        if access.indices is None or not variable.shape:
            every = EVERY if size >= BITS else (1 << size) - 1
            return (every << first | every << first >> BITS) & EVERY
        position = self.x.position(variable, access.indices, READ)
        if isinstance(position, int):
            return 1 << (first + position) % BITS
        return f"(u64)1 << (({first} + {position}) & {BITS - 1})"

    def channel(self, channels: ChannelSet) -> int | str:
        if channels.expression is not None:
            number = self.x.value(channels.expression, READ)
            return 1 << int(number) % BITS if number.isdigit() else f"(u64)1 << (({number}) & {BITS - 1})"
        mask = 0
        for origin in channels.origins:
            if origin.owner is not None:
                return EVERY
            first, _ = self.x.numbers[origin]
            for k in range(origin.size):
                mask |= 1 << (first + k) % BITS
        return mask
