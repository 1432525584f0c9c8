"""Which variables are never undefined, so that reading them needs no check, and no room for `undefined`.

A variable may be undefined if an element of it is in some start state, or if a rule assigns `undefined` or copies a variable
that may be.  This is the least fixed point over all assignments (Nielson, Nielson and Hankin, Principles of Program
Analysis, 1999, section 1.5), whatever the order in which rules fire.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from coset.languages.murphi import folding
from coset.model import expression as e
from coset.model import model as m
from coset.model.rewrite import replace_variables, rewrite_model


def without_needless_checks(model: m.Model, undefined: set[m.Variable]) -> m.Model:
    """The model without checks of variables that are always defined.  `undefined` are those that may not be at the start."""
    doubtful = maybe_undefined(model, undefined)
    certain = [variable for variable in model.variables if variable not in doubtful]
    if not certain:
        return without_idle_checks(model)
    known = frozenset(certain)

    def simpler(x: e.Expr) -> e.Expr:
        match x:
            case e.Checked(e.Get(variable), _, _, "undefined") if variable in known:
                return x.operand
            case e.Binary("==", e.Get(variable), e.Const(value)) if variable in known and value == variable.domain.high:
                return e.FALSE
            case e.Binary("!=", e.Get(variable), e.Const(value)) if variable in known and value == variable.domain.high:
                return e.TRUE
        return x

    return narrowed(without_idle_checks(rewrite_model(model, simpler)), certain)


def narrowed(model: m.Model, certain: list[m.Variable]) -> m.Model:
    """The model in which truth values and the like have no room for `undefined`, if they need none."""
    images = {}
    for variable in certain:
        domain = variable.domain
        if domain.high > 2:
            continue  # values of one sort are kept where there is room for all of them
        labels = tuple(label for label in domain.labels if label[0] != domain.high)
        images[variable] = replace(variable, domain=replace(domain, high=domain.high - 1, labels=labels))
    return replace_variables(model, images)


def maybe_undefined(model: m.Model, undefined: set[m.Variable]) -> set[m.Variable]:
    found = set(undefined)
    flows: dict[m.Variable, set[m.Variable]] = {}
    for variable, value in assignments(model):
        if variable.owner is not None and value == variable.initial[0]:  # type: ignore[index]
            continue  # the end of a rule
        for source in sources(value, variable):
            if source is None:
                found.add(variable)
            else:
                flows.setdefault(source, set()).add(variable)
    pending = list(found)
    while pending:
        for variable in flows.get(pending.pop(), ()):
            if variable not in found:
                found.add(variable)
                pending.append(variable)
    return found


def assignments(model: m.Model) -> Iterator[tuple[m.Variable, e.Expr]]:
    for kind in model.kinds:
        for _, edge in kind.edges():
            for effect in edge.effects:
                if isinstance(effect, m.Assign) and effect.place.variable is not None:
                    yield effect.place.variable, effect.value


def sources(value: e.Expr, variable: m.Variable) -> Iterator[m.Variable | None]:
    """The variables that a value may be copied from without a check; None if it may be `undefined` itself."""
    match value:
        case e.Const(number):
            if number >= undefined_of(variable) or number < variable.domain.low:
                yield None
        case e.Get(source):
            yield source
        case e.Conditional(_, yes, no):
            yield from sources(yes, variable)
            yield from sources(no, variable)


def without_idle_checks(model: m.Model) -> m.Model:
    """The model without evaluations that cannot fault."""
    kinds = []
    for kind in model.kinds:
        locations = tuple(
            replace(location, edges=tuple(map(without_idle_effects, location.edges))) for location in kind.locations
        )
        kinds.append(replace(kind, locations=locations))
    return replace(model, kinds=tuple(kinds))


def without_idle_effects(edge: m.Edge) -> m.Edge:
    effects = tuple(each for each in edge.effects if not is_idle(each))
    return edge if len(effects) == len(edge.effects) else replace(edge, effects=effects)


def is_idle(effect: m.Effect) -> bool:
    match effect:
        case m.Assign(e.Place(None), value):
            return not folding.may_fault(value)
        case m.Assign(e.Place(variable, indices), e.Get(other, others)):
            return variable is other and indices == others and all(isinstance(each, e.Const) for each in indices)
    return False


def undefined_of(variable: m.Variable) -> int:
    """The number for `undefined`, which has that label."""
    return next(number for number, label in variable.domain.labels if label == "undefined")
