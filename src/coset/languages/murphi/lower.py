"""From a checked Murphi program to a model: one process, and an edge for each rule and choice of its parameters.

The process goes around one location, LOOP.  A rule is an edge whose guard and effects have the values of the parameters written
in.  With one start state the process begins in it; otherwise a step before the first one chooses (`Model.prelude`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple

from coset.languages.murphi import codes, folding
from coset.languages.murphi import tree as t
from coset.languages.murphi.covers import Conditions, added, covered, without_covers
from coset.languages.murphi.declared import declared_types
from coset.languages.murphi.defined import Definedness, has_room, narrowed, undefined_of
from coset.languages.murphi.elaborate import Elaborator
from coset.languages.murphi.elaborate_expression import NotPure, refused, shown
from coset.languages.murphi.flow import Flow
from coset.languages.murphi.statements import Check, Set, Statement, without_dead, written
from coset.languages.murphi.storage import places
from coset.languages.murphi.symbols import Bound, Found
from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.occurrences import edge_expressions, read_by
from coset.model.analysis.occurrences import places as places_of
from coset.model.interpreter import Interpreter, is_fault
from coset.model.rewrite import rebuild, replace_variables
from coset.model.state import offsets
from coset.properties import formula as f
from coset.properties.ctl_formula import Branching, BranchingUntil
from coset.properties.vacuity import substituted
from coset.source.budget import current_budget

INNER = "a condition on elements of a multiset cannot change something, or have a loop without constant bounds"
LOOP = 0
MOST_EDGES = 100_000
PURE = "a function that changes something, or that has a loop without constant bounds, cannot be called here"


class Choice(NamedTuple):
    """Values of parameters, with their names as the program writes them, and what must hold for the choice to exist."""

    bindings: tuple[tuple[Bound, int], ...] = ()
    aliases: tuple[t.AliasDecl, ...] = ()
    present: tuple[tuple[t.Expression, Bound], ...] = ()

    def label(self, name: str) -> str:
        shown_values = ", ".join(f"{bound.name}: {show(bound, value)}" for bound, value in self.bindings)
        return f"{name}({shown_values})" if shown_values else name


class Step(NamedTuple):
    """A rule for one choice of its parameters."""

    rule: t.Rule | t.StartState
    text: str
    guard: e.Expr
    statements: tuple[Statement, ...]
    resets: tuple[Statement, ...]


def show(bound: Bound, value: int) -> str:
    return bound.type.show(value)


class Lowering:
    def __init__(self, found: Found, name: str, deadlock: str = "stuttering") -> None:
        self.found, self.name, self.deadlock = found, name, deadlock
        self.elaborator = Elaborator(found)
        self.flow = Flow()
        self.flow.new(transient=False)
        self.steps: list[Step] = []
        self.starts: list[Step] = []
        self.assumptions: list[tuple[t.Expression, Choice]] = []
        self.properties: list[m.Property] = []
        self.covers: Conditions = {}
        self.unchecked: list[t.PropertyStatement] = []
        """The `cover` statements that cannot be checked."""
        self.names: set[str] = set()
        self.numbers = {"rule": 0, "startstate": 0}

    def model(self) -> m.Model:
        rules = [part for part in self.found.program.parts if isinstance(part, t.AnyRule)]
        self.assume(rules, [Choice()])
        for rule in rules:
            self.rule(rule, [Choice()])
        self.covers |= self.elaborator.uncovered
        for statement in (each for part in self.found.program.parts for each in part.walk()):
            if isinstance(statement, t.PropertyStatement) and statement.category == "cover":
                self.cover(statement)
        variables = tuple(
            self.elaborator.variable_of(storage, leaf)
            for symbol in self.found.variables
            for storage in (self.elaborator.storage(symbol),)
            for leaf in storage.leaves.values()
        )
        states = self.start_states(variables)
        undefined = {
            variable
            for variable, start in offsets(variables).items()
            if states is None
            or undefined_of(variable)
            in {values[k] for _, values in states for k in range(start, start + variable.size)}
        }
        known = Definedness(variables, undefined, [step.statements for step in self.steps])
        start = self.begun(variables, states, known)
        edges = [self.edge(step, known) for step in sorted(self.steps, key=priority)]
        self.flow.locations[LOOP] = m.Location(tuple(edges), ("rules",), end=self.deadlock == "off")
        used = {v for location in self.flow.locations for each in location.edges for v in mentioned(each)}
        own = tuple(each for each in self.elaborator.locals if each in used)
        kind = m.Kind(self.elaborator.owner, own, 0, tuple(self.flow.locations), start)
        properties = tuple(self.finished(each, known) for each in self.properties)
        model = m.Model(
            self.name, variables, (kind,), (m.Instance(kind.name),), properties, prelude=start != LOOP,
            stuttering=self.deadlock == "stuttering", counts_rules=True,
            declared=tuple(declared_types(self.found, self.elaborator.storages.values())),
        )  # fmt: skip
        if states is not None:
            values = before(variables, known, [found for _, found in states])
            if values not in {found for _, found in states}:
                model = replace(model, properties=tuple(map(from_the_start, model.properties)))
            initial = {
                variable: replace(variable, initial=tuple(map(e.Const, values[k : k + variable.size])))
                for variable, k in offsets(variables).items()
            }
            model = replace_variables(model, initial)
            model = narrowed(model, [initial[variable] for variable in variables if variable in known.certain])
        return reachable_locations(model)

    def edge(self, step: Step, known: Definedness) -> m.Edge:
        statements = without_dead(tuple(known.statements(step.statements)))
        changed = written(statements)
        resets = tuple(each for each in step.resets if not isinstance(each, Set) or each.place.variable in changed)
        effects, target = self.flow.way(statements + resets, LOOP)
        guard = known.expression(step.guard)
        return m.Edge(target, guard, effects, tier=priority(step), text=step.text, span=step.rule.span)

    def finished(self, property_: m.Property, known: Definedness) -> m.Property:
        return rebuild(property_, known.simpler) if known.certain else property_

    # --- start states ------------------------------------------------------------------------------

    def start_states(self, variables: tuple[m.Variable, ...]) -> list[tuple[m.Edge, tuple[int, ...]]] | None:
        """The start states, each with the edge that leads to it; None if that goes wrong."""
        flow = Flow()
        flow.new(transient=False)
        edges = []
        for step in self.starts:
            effects, target = flow.way(step.statements + step.resets, LOOP)
            edges.append(m.Edge(target, e.TRUE, effects, text=step.text, span=step.rule.span))
        first = flow.new(*edges, transient=False)
        kind = m.Kind(self.elaborator.owner, tuple(self.elaborator.locals), 0, tuple(flow.locations), first)
        interpreter = Interpreter(m.Model(self.name, variables, (kind,), (m.Instance(kind.name),), prelude=True))
        steps = list(interpreter.steps(interpreter.initial()))
        if not steps or any(is_fault(step.moves[-1]) for step in steps):
            return None
        return [(step.moves[0].edge, self.complete(variables, step.state.values)) for step in steps]

    def begun(
        self, variables: tuple[m.Variable, ...], states: list[tuple[m.Edge, tuple[int, ...]]] | None, known: Definedness
    ) -> int:
        """The location where the process begins."""
        if states is None:
            edges = []
            for step in self.starts:
                effects, target = self.flow.way(step.statements + step.resets, LOOP)
                edges.append(m.Edge(target, e.TRUE, effects, text=step.text, span=step.rule.span))
            return self.flow.new(*edges, transient=False)
        if len(states) == 1:
            return LOOP
        first = before(variables, known, [values for _, values in states])
        return self.flow.new(
            *(
                m.Edge(LOOP, e.TRUE, tuple(different(variables, first, values)), text=edge.text, span=edge.span)
                for edge, values in states
            ),
            transient=False,
        )

    def complete(self, variables: tuple[m.Variable, ...], values: tuple[int, ...]) -> tuple[int, ...]:
        """A start state in which elements that no index denotes have a value, too."""
        found = list(values)
        leaves = [leaf for s in self.elaborator.storages.values() if s.owner is None for leaf in s.leaves.values()]
        by_variable = {leaf.variable: leaf for leaf in leaves}
        for variable, start in offsets(variables).items():
            leaf = by_variable[variable]
            if variable.size > 1 or variable.shape:
                exists = set(places(leaf))
                for k in range(variable.size):
                    if variable.indices(k) not in exists:
                        found[start + k] = leaf.type.low
        return tuple(found)

    # --- rules -------------------------------------------------------------------------------------

    def assume(self, rules: Sequence[t.AnyRule], choices: list[Choice]) -> None:
        """The assumptions, which every state must satisfy."""
        for rule in rules:
            match rule:
                case t.Property("assume", _, condition):
                    self.assumptions += [(condition, choice) for choice in choices]
                case t.Ruleset(_, inner) | t.AliasRule(_, inner) if any(map(assumes, inner)):
                    if isinstance(rule, t.Ruleset):
                        for quantifier in rule.quantifiers:
                            choices = list(self.chosen(quantifier, choices))
                    self.assume(inner, choices)
                case t.Choose(_, _, inner) if any(map(assumes, inner)):
                    hint = "write `assume forall ... end`"
                    raise refused(codes.UNSUPPORTED, "`assume` inside of `choose`", rule.span, hint)

    def rule(self, rule: t.AnyRule, choices: list[Choice]) -> None:
        match rule:
            case t.Ruleset(quantifiers, rules):
                for quantifier in quantifiers:
                    choices = list(self.chosen(quantifier, choices))
                self.rules(rules, choices)
            case t.AliasRule(aliases, rules):
                self.rules(rules, [choice._replace(aliases=(*choice.aliases, *aliases)) for choice in choices])
            case t.Choose(_, multiset, rules):
                bound = self.found.symbol_of(rule)
                assert isinstance(bound, Bound)
                self.rules(rules, [
                    choice._replace(
                        bindings=(*choice.bindings, (bound, slot)), present=(*choice.present, (multiset, bound))
                    )
                    for choice, slot in product(choices, bound.type.values())
                ])  # fmt: skip
            case t.StartState():
                self.numbers["startstate"] += 1
                name = rule.name or f"startstate {self.numbers['startstate']}"
                for choice in choices:
                    self.starts.append(self.start(rule, choice, name))
            case t.Rule():
                self.numbers["rule"] += 1
                name = rule.name or f"rule {self.numbers['rule']}"
                for choice in choices:
                    self.step(rule, choice, name)
            case t.Property():
                self.property(rule, choices)
            case t.FormulaProperty(category, name, formula):
                made = m.CtlProperty if category == "ctl" else m.LtlProperty
                lowered = self.formula(formula)
                self.properties.append(made(self.free_name(name), lowered, shown(rule), rule.span))

    def rules(self, rules: Sequence[t.AnyRule], choices: list[Choice]) -> None:
        for each in rules:
            self.rule(each, choices)

    def chosen(self, quantifier: t.Quantifier, choices: list[Choice]) -> Iterator[Choice]:
        bound = self.found.symbol_of(quantifier)
        assert isinstance(bound, Bound)
        for choice in choices:
            self.begin(choice)
            values = self.elaborator.bound_values(quantifier)
            if values is None:
                raise refused(codes.NOT_CONSTANT, "the bounds of a ruleset must be constant", quantifier.span)
            for value in values:
                yield choice._replace(bindings=(*choice.bindings, (bound, value)))

    def begin(self, choice: Choice) -> None:
        current_budget().check()
        self.elaborator.begin()
        for bound, value in choice.bindings:
            self.elaborator.bindings[id(bound)] = e.Const(value)

    def guard(self, node: t.Expression, choice: Choice) -> e.Expr:
        """A condition for a choice of parameters."""
        self.begin(choice)
        try:
            return self.elaborator.guard(node)
        except NotPure:
            raise refused(
                codes.UNSUPPORTED, PURE, node.span, "compute the value in a rule, and keep it in a variable"
            ) from None

    def present(self, choice: Choice) -> e.Expr:
        """Whether the chosen elements of multisets exist."""
        self.begin(choice)
        conditions = []
        for multiset, bound in choice.present:
            slot = self.elaborator.bindings[id(bound)]
            assert isinstance(slot, e.Const)
            conditions.append(self.elaborator.is_present(self.elaborator.ref(multiset), slot.value))
        return folding.joined("&&", conditions)

    def step(self, rule: t.Rule, choice: Choice, name: str) -> None:
        guard = self.present(choice)
        if rule.guard is not None:
            guard = folding.binary("&&", guard, self.guard(rule.guard, choice))
        if guard == folding.FALSE:
            return
        if len(self.steps) >= MOST_EDGES:
            raise refused(codes.TOO_LARGE, f"rules with more than {MOST_EDGES:,} choices of parameters", rule.span)
        self.begin(choice)
        statements, resets = self.body(rule.declarations, rule.body, choice)
        added(self.covers, covered(statements), guard)
        self.steps.append(Step(rule, choice.label(name), guard, tuple(without_covers(statements)), resets))

    def start(self, rule: t.StartState, choice: Choice, name: str) -> Step:
        self.begin(choice)
        statements, resets = self.body(rule.declarations, rule.body, choice)
        self.covers |= dict.fromkeys(covered(statements))
        return Step(rule, choice.label(name), e.TRUE, tuple(without_covers(statements)), resets)

    def body(
        self, declarations: Sequence[t.Declaration], body: Sequence[t.Statement], choice: Choice
    ) -> tuple[tuple[Statement, ...], tuple[Statement, ...]]:
        """The statements of a rule, and what comes last: variables of the process are reset, assumptions are asked for."""
        elaborator = self.elaborator
        elaborator.bind(choice.aliases)
        try:
            statements = elaborator.body(declarations, body)
        except NotPure:
            at = body[0].span.join(body[-1].span) if body else self.found.program.span
            raise refused(codes.UNSUPPORTED, INNER, at, "compute the value before, and keep it in a variable") from None
        last: list[Statement] = []
        for each in list(elaborator.touched):
            initial = each.initial
            assert isinstance(initial, tuple)
            last += [Set(e.Place(each, tuple(map(e.Const, each.indices(k)))), initial[0]) for k in range(each.size)]
        for condition, given in self.assumptions:
            last.append(Check(e.Checked(self.guard(condition, given), 1, 1, "assume", shown(condition))))
        return statements, tuple(last)

    # --- properties --------------------------------------------------------------------------------

    def property(self, rule: t.Property, choices: list[Choice]) -> None:
        if rule.category == "assume":
            return
        each = []
        for choice in choices:
            holds = self.guard(rule.condition, choice)
            present = self.present(choice)
            operator = "&&" if rule.category == "cover" else "->"
            each.append(folding.binary(operator, present, holds) if choice.present else holds)
        name, text = self.property_name(rule.name, rule.category), shown(rule)
        whole = folding.joined("&&", each)
        match rule.category:
            case "cover":  # of all choices together, as in Rumur
                somewhere = Branching("E", "F", f.Atom(folding.joined("||", each)))
                self.properties.append(m.CtlProperty(name, somewhere, text, rule.span))
            case "liveness":
                inner = [Branching("A", "G", Branching("E", "F", f.Atom(holds))) for holds in each]
                for number, part in enumerate(inner, 1):
                    own = name if len(each) == 1 else f"{name}_{number}"
                    self.properties.append(m.CtlProperty(own, part, text, rule.span))
            case _:
                self.properties.append(m.LtlProperty(name, f.Modal("[]", f.Atom(whole)), text, rule.span))

    def cover(self, statement: t.PropertyStatement) -> None:
        """A `cover` inside of a rule: a run gets there, and its condition holds."""
        reached = self.covers.get(id(statement), folding.FALSE)
        if reached is None:
            self.unchecked.append(statement)
            return
        somewhere = Branching("E", "F", f.Atom(reached))
        name = self.property_name(statement.message, "cover")
        self.properties.append(m.CtlProperty(name, somewhere, shown(statement), statement.span))

    def formula(self, formula: f.Formula[t.Expression]) -> f.Formula[e.Expr]:
        """A formula of the command line, with its conditions lowered."""
        match formula:
            case f.Atom(condition):
                return f.Atom(self.guard(condition, Choice()))
            case f.Not(operand):
                return f.Not(self.formula(operand))
            case f.Modal(operator, operand):
                return f.Modal(operator, self.formula(operand))
            case f.Logic(operator, left, right):
                return f.Logic(operator, self.formula(left), self.formula(right))
            case f.Until(operator, left, right):
                return f.Until(operator, self.formula(left), self.formula(right))
            case Branching(quantifier, operator, operand):
                return Branching(quantifier, operator, self.formula(operand))
            case BranchingUntil(quantifier, operator, left, right):
                return BranchingUntil(quantifier, operator, self.formula(left), self.formula(right))
        raise TypeError(f"unknown formula {type(formula).__name__}")

    def property_name(self, text: str, category: str) -> str:
        plain = "".join(c if c.isascii() and c.isalnum() else "_" for c in text).strip("_")
        while "__" in plain:
            plain = plain.replace("__", "_")
        return self.free_name(plain or {"assert": "invariant"}.get(category, category))

    def free_name(self, base: str) -> str:
        name, number = base, 1
        while name in self.names:
            number += 1
            name = f"{base}_{number}"
        self.names.add(name)
        return name


def mentioned(edge: m.Edge) -> Iterator[m.Variable]:
    for x in edge_expressions(edge):
        yield from read_by(x)
    for effect in edge.effects:
        yield from (place.variable for place in places_of(effect) if place.variable is not None)


def priority(step: Step) -> int:
    return step.rule.priority if isinstance(step.rule, t.Rule) else 0


def assumes(rule: t.AnyRule) -> bool:
    """Whether there is an assumption in a rule."""
    match rule:
        case t.Property(category):
            return category == "assume"
        case t.Ruleset(_, inner) | t.AliasRule(_, inner) | t.Choose(_, _, inner):
            return any(map(assumes, inner))
    return False


def before(variables: tuple[m.Variable, ...], known: Definedness, states: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The values before a start state is chosen: what all have in common; the rest is undefined, so that no symmetry between
    start states is lost."""
    found = list(states[0])
    for variable, start in offsets(variables).items():
        if has_room(variable, known):
            for k in range(start, start + variable.size):
                if len({values[k] for values in states}) > 1:
                    found[k] = undefined_of(variable)
    return tuple(found)


def from_the_start(property_: m.Property) -> m.Property:
    """A property of the states from the chosen one on.  Before, variables have no values, and conditions are false."""
    match property_:
        case m.LtlProperty(formula=formula):
            return replace(property_, formula=f.Modal("X", substituted(formula, begun)))
        case m.CtlProperty(formula=formula):
            formula = substituted(formula, begun)
            quantifier = formula.quantifier if isinstance(formula, Branching) else "A"
            return replace(property_, formula=Branching(quantifier, "X", formula))
    return property_


def begun(condition: e.Expr) -> f.Formula[e.Expr]:
    """A condition that is false before a start state is chosen, if it may have no value there."""
    if not folding.may_fault(condition):
        return f.Atom(condition)
    return f.Atom(e.Binary("&&", e.AtLocation(Elaborator.owner, e.Const(0), "rules", frozenset({LOOP})), condition))


def different(variables: tuple[m.Variable, ...], first: tuple[int, ...], values: tuple[int, ...]) -> Iterator[m.Effect]:
    """Assignments that make one state of another."""
    for variable, start in offsets(variables).items():
        for k in range(variable.size):
            if first[start + k] != values[start + k]:
                place = e.Place(variable, tuple(map(e.Const, variable.indices(k))))
                yield m.Assign(place, e.Const(values[start + k]))


def reachable_locations(model: m.Model) -> m.Model:
    """The model without locations that are never reached, such as those of start states."""
    (kind,) = model.kinds
    reached = sorted(kind.reachable(kind.start) | {kind.start})
    number = {old: new for new, old in enumerate(reached)}
    locations = tuple(
        replace(
            kind.locations[old],
            edges=tuple(
                replace(edge, target=number[edge.target]) for edge in kind.locations[old].edges if edge.guard != e.FALSE
            ),
        )
        for old in reached
    )
    return replace(model, kinds=(replace(kind, locations=locations, start=number[kind.start]),))
