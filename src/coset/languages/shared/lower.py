"""From a program to a family of models, or to the model for given values of its parameters."""

from __future__ import annotations

from collections.abc import Mapping

from coset.languages.shared import codes
from coset.languages.shared import tree as t
from coset.languages.shared.declare import Declarations, within
from coset.languages.shared.flow import Step, Test
from coset.languages.shared.lower_expression import Expressions
from coset.languages.shared.lower_formula import formula, symbolic
from coset.languages.shared.lower_statement import Statements
from coset.languages.shared.refusal import Refused
from coset.languages.shared.symbols import Declared, Members, Process, Scope, binary, negation
from coset.languages.shared.synchronous import synchronous
from coset.model import expression as e
from coset.model import family as fm
from coset.model import model as m
from coset.model.domain import PROCESS
from coset.properties import formula as f
from coset.properties.ctl_formula import Branching
from coset.source.diagnostics import Diagnostics

LONGEST_TEXT = 60


class Lowering:
    def __init__(
        self, program: t.Program, values: Mapping[str, int], diagnostics: Diagnostics, is_symbolic: bool = False
    ) -> None:
        self.program, self.diagnostics = program, diagnostics
        self.declarations = Declarations(program, values, is_symbolic, diagnostics)
        self.symbols = self.declarations.declared()
        self.expressions = Expressions(self.symbols)

    # --- the whole ---------------------------------------------------------------------------------------

    def model(self, name: str) -> m.Model | None:
        """The model for the given values; None if something is wrong."""
        if self.diagnostics.errors:
            return None
        for assumption in self.program.assumptions:
            with self.declarations.reporting():
                if not isinstance(holds := self.expressions.truth(assumption), e.Const):
                    raise Refused(codes.NOT_CONSTANT, "an assumption can only speak of parameters", assumption)
                if not holds.value:
                    raise Refused(codes.ASSUMPTION, "the values of the parameters violate this assumption", assumption)
        self.check_names()
        kinds = self.kinds()
        properties: list[m.Temporal | m.Branching] = []
        for each in self.program.properties:
            with self.declarations.reporting():
                properties.append(self.property(each))
        variables = tuple(each.variable for each in self.symbols.variables.values())
        processes = tuple(
            m.Instance(
                members.name, (e.Const(place),) if members.number is not None else (), name=members.called(place)
            )
            for members in self.symbols.classes.values()
            for place in range(members.count)
        )
        if self.diagnostics.errors:
            return None
        if not processes:
            self.diagnostics.error(codes.BAD_RANGE, "there is no process", self.program.span)
            return None
        model = m.Model(name, variables, kinds, processes, tuple(properties))
        if not self.program.synchronous:
            return model
        with self.declarations.reporting():
            return synchronous(model, self.program)
        return None

    def family(self, name: str) -> fm.Family | None:
        """The family of the models for all values of the parameters; None if something is wrong or told apart."""
        if self.diagnostics.errors:
            return None
        if self.program.synchronous:
            self.diagnostics.error(
                codes.NOT_A_FAMILY, "all processes move together: the program is no family", self.program.span
            )
            return None
        assumptions: list[e.Expr] = []
        for assumption in self.program.assumptions:
            with self.declarations.reporting():
                assumptions.append(self.expressions.truth(assumption))
        self.check_names()
        kinds = self.kinds()
        properties: list[fm.FamilyProperty] = []
        lemmas = list(self.ranges())
        for each in self.program.properties:
            with self.declarations.reporting():
                if each.what == "invariant":
                    lemmas.append(self.lemma(each))
                else:
                    properties.append(self.family_property(each))
        if self.diagnostics.errors:
            return None
        classes = tuple(
            fm.ProcessClass(kind, members.size, kind.span)
            for kind, members in zip(kinds, self.symbols.classes.values(), strict=True)
        )
        variables = tuple(each.variable for each in self.symbols.variables.values())
        parameters = tuple(self.symbols.parameters.values())
        return fm.Family(name, parameters, variables, classes, tuple(assumptions), tuple(properties), tuple(lemmas))

    # --- automata ----------------------------------------------------------------------------------------

    def kinds(self) -> tuple[m.Kind, ...]:
        found = []
        for class_ in self.program.classes:
            with self.declarations.reporting():
                found.append(self.kind(class_, self.symbols.classes[class_.name]))
        return tuple(found)

    def kind(self, class_: t.Class, members: Members) -> m.Kind:
        itself = Process(members.name, e.Self()) if self.symbols.symbolic else self.declarations.itself(members)
        here = self.expressions.within(Scope(itself))
        statements = Statements(here, members.name, ranges=not self.symbols.symbolic)
        locations = []
        for spot in members.automaton.spots:
            edges: list[m.Edge] = []
            for step in spot.steps:
                with self.declarations.reporting():
                    edges += self.edges(step, members, statements)
            locations.append(m.Location(tuple(edges), tuple(spot.labels), end=not spot.steps, span=spot.span))
        own = [each.variable for each in members.variables.values()]
        number = [] if members.number is None else [members.number]
        variables = (*number, *own, *statements.scratch.values())
        start = members.automaton.number(members.automaton.start)
        return m.Kind(members.name, variables, len(number), tuple(locations), start, span=class_.span)

    def edges(self, step: Step, members: Members, statements: Statements) -> list[m.Edge]:
        target, text = members.automaton.number(step.target), step_text(step)
        return [
            m.Edge(target, action.guard, action.effects, text=text, span=step.span)
            for action in statements.actions(step.what)
            if action.guard != e.FALSE
        ]

    def check_names(self) -> None:
        """No two properties may have one name."""
        seen: dict[str, t.Property] = {}
        for each in self.program.properties:
            first = seen.setdefault(each.name, each)
            if first is not each:
                notes = [("the first is here", first.span)]
                text = f"there are two properties `{each.name}`"
                self.diagnostics.error(codes.REDECLARED, text, each.span, notes=notes)

    # --- properties --------------------------------------------------------------------------------------

    def property(self, x: t.Property) -> m.Temporal | m.Branching:
        if x.what == "invariant":
            whole: f.Formula[e.Expr] = Branching("A", "G", f.Atom(self.expressions.truth(x.formula)))
        else:
            whole = formula(x.formula, self.expressions)
        made = m.Temporal if x.what == "ltl" else m.Branching
        return made(x.name, whole, x.text, x.span)

    def family_property(self, x: t.Property) -> fm.FamilyProperty:
        quantifiers, conditions, rest, here = symbolic(x.formula, self.expressions)
        whole = formula(rest, here)
        for condition in reversed(conditions):
            whole = f.Logic("->", f.Atom(here.truth(condition)), whole)
        return fm.FamilyProperty(x.name, quantifiers, whole, x.what == "ltl", x.text, x.span)

    def lemma(self, x: t.Property) -> fm.Lemma:
        quantifiers, conditions, rest, here = symbolic(x.formula, self.expressions)
        whole = here.truth(rest)
        for condition in reversed(conditions):
            whole = binary("||", negation(here.truth(condition)), whole)
        return fm.Lemma(x.name, quantifiers, whole, x.text, x.span)

    def ranges(self) -> list[fm.Lemma]:
        """Ranges that depend on parameters are no domains, but conditions to be proved."""
        found = []
        for declared in self.symbols.variables.values():
            if declared.bounds is not None:
                found.append(range_lemma(declared, e.Get(declared.variable), ()))
        for members in self.symbols.classes.values():
            for declared in members.variables.values():
                if declared.bounds is not None:
                    process = m.Variable("i", PROCESS)
                    value = e.Remote(members.name, e.Get(process), declared.variable)
                    found.append(range_lemma(declared, value, (fm.Quantifier((process,), members.name),)))
        return found


def range_lemma(declared: Declared, value: e.Expr, quantifiers: tuple[fm.Quantifier, ...]) -> fm.Lemma:
    assert declared.bounds is not None
    condition = within(value, *declared.bounds)
    text = f"{declared.bounds[0]} <= {value} <= {declared.bounds[1]}"
    return fm.Lemma(f"range of {declared.variable.name}", quantifiers, condition, text, declared.variable.span)


def step_text(step: Step) -> str:
    """What happens in a step, as the user wrote it."""
    text = " ".join(step.span.text.split())
    match step.what:
        case Test(_, holds):
            return text if holds else f"!({text})"
        case t.Statement(label=label) if label is not None:
            text = text.split(":", 1)[1].strip()
    text = text.removesuffix(";")
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 3] + "..."
