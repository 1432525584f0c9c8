"""A model under analysis: what several engines and properties ask of it, computed once.

>>> from coset.tasks.load import parse_text
>>> analysis = Analysis(parse_text("byte x; active [2] proctype P() { x = 1 }"))
>>> analysis.reduction(analysis.model) is analysis.reduction(analysis.model)
True
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import field, replace

from coset.engines.reduction import Reduction, reduction
from coset.engines.settings import Settings
from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.occurrences import property_expressions, visible_locations, visible_variables
from coset.model.fairness import UNFAIR, Fairness
from coset.model.passes import merged
from coset.properties.normal import is_stutter_invariant_syntactically
from coset.results.events import Listener, ignore_events
from coset.results.exploration import Exploration
from coset.source.budget import Limits
from coset.source.records import dataclass
from coset.source.timing import phase

VALUES = (e.Const, e.Get, e.Unary, e.Binary, e.Conditional)
"""Expressions that observe no more than the variables in them."""


@dataclass(eq=False)
class Analysis:
    """A model, how it is searched, and what is known of it.

    With merged steps (`merges`) verdicts come from a smaller model that no property distinguishes from the user's own;
    only if something is violated there, the user's own model is searched for a run that shows it.
    """

    model: m.Model
    limits: Limits = field(default_factory=Limits)
    listener: Listener = ignore_events
    settings: Settings = field(default_factory=Settings)
    fair: Fairness = UNFAIR
    merges: bool = False
    keep_going: bool = False
    """Whether properties that take long are decided even if another one is violated."""
    explored: Exploration | None = None
    """A search for errors in single states by the interpreter, if one was made."""
    _reductions: dict[tuple[int, tuple[str, ...]], Reduction] = field(default_factory=dict)
    _smaller: dict[str | None, m.Model | None] = field(default_factory=dict)
    _merged: dict[tuple[str, ...], m.Model] = field(default_factory=dict)
    """The smaller models, by the names of the properties that are decided on them."""
    _bare: dict[str, m.Model] = field(default_factory=dict)
    """For a property that is decided on one smaller model with others: this model without properties."""

    def reduction(self, model: m.Model, properties: Sequence[m.Property] = ()) -> Reduction:
        """The symmetry of the model, or of a smaller one, that keeps some properties."""
        key = key_of(model, properties)
        if key not in self._reductions:
            self._reductions[key] = self.found_without(model, properties) or reduction(
                model, self.kept(properties), self.settings, self.fair, False
            )
        return self._reductions[key]

    def found_without(self, model: m.Model, properties: Sequence[m.Property]) -> Reduction | None:
        """That there is no symmetry even without properties, if several are decided on one smaller model."""
        if self.settings.symmetry not in ("auto", "program") or self.settings.generators is not None:
            return None
        names = [each.name for each in properties]
        if len(names) != 1 or names[0] not in self._bare or self._smaller.get(names[0]) is not model:
            return None
        found = self.reduction(self._bare[names[0]])
        return found if found.symmetry is not None and found.symmetry.order == 1 else None

    def kept(self, properties: Sequence[m.Property]) -> Sequence[m.Property]:
        """What symmetries have to preserve: under fairness its constraints, too."""
        return (*properties, *self.fair.stated) if properties else properties

    def thorough_reduction(self, model: m.Model, properties: Sequence[m.Property] = ()) -> Reduction:
        """The same for a long search, found by more methods; it counts when it is adopted."""
        found = self.reduction(model, properties)
        return found if found.is_thorough else reduction(model, self.kept(properties), self.settings, self.fair)

    def adopt(self, model: m.Model, properties: Sequence[m.Property], found: Reduction) -> None:
        self._reductions[key_of(model, properties)] = found

    @property
    def safety_target(self) -> tuple[m.Model, Reduction]:
        """The model in which errors in single states are looked for, the smaller one if there is one, and its symmetry."""
        model = self.smaller_model() or self.model
        return model, self.reduction(model)

    def smaller_model(self, property_: m.Claim | m.LtlProperty | None = None) -> m.Model | None:
        """The model with merged steps, if they are wanted and allowed: for one property, which is then the only one
        that the model has, or for errors in single states.  What neither asks about can be merged away."""
        name = None if property_ is None else property_.name
        if name not in self._smaller:
            self._smaller[name] = self.made_smaller(property_)
        return self._smaller[name]

    @phase("merge")
    def made_smaller(self, property_: m.Claim | m.LtlProperty | None) -> m.Model | None:
        # A claim written by hand may count steps, so it is only decided on the plain model.
        if not self.merges or isinstance(property_, m.Claim):
            return None
        if self.model.stuttering:  # without a variable that nothing reads, a step that changes it leads back
            return None
        if property_ is not None and not is_stutter_invariant_syntactically(property_.formula):
            return None
        together = () if property_ is None else self.asked_together(property_)
        names = tuple(each.name for each in together)
        if names not in self._merged:
            whole = self._merged[names] = self.merged(replace(self.model, properties=together))
            if len(names) > 1:
                self._bare |= dict.fromkeys(names, replace(whole, properties=()))
        model = self._merged[names]
        if property_ is not None and len(names) > 1:
            model = replace(model, properties=tuple(each for each in model.properties if each.name == property_.name))
        if self.settings.symmetry != "constraints":
            return model
        from coset.symmetry.methods.constraints.form import has_form

        return model if has_form(model) else None

    def merged(self, model: m.Model) -> m.Model:
        """The model with merged steps, for the properties that it has."""
        if self.settings.symmetry == "off":
            return merged(model, marks=False)
        from coset.symmetry.passes import merged_for_symmetry

        return merged_for_symmetry(model, marks=False)

    def asked_together(self, property_: m.LtlProperty) -> tuple[m.Property, ...]:
        """The properties that observe the same as one of them: what one smaller model serves for."""
        observed = observations(self.model, property_)
        others = (
            each
            for each in self.model.properties
            if isinstance(each, m.LtlProperty) and is_stutter_invariant_syntactically(each.formula)
        )
        together = tuple(each for each in others if observations(self.model, each) == observed)
        return together if property_ in together else (property_,)


def observations(model: m.Model, property_: m.LtlProperty) -> Hashable:
    """What a property observes: variables, locations, and what else its expressions are about."""
    asked = replace(model, properties=(property_,), monitor=None)
    parts = (part for x in property_expressions(asked) for part in x.walk())
    others = frozenset(type(part) for part in parts if not isinstance(part, VALUES))
    return visible_variables(asked), visible_locations(asked), others


def key_of(model: m.Model, properties: Sequence[m.Property]) -> tuple[int, tuple[str, ...]]:
    """Models live as long as their analysis."""
    return id(model), tuple(each.name for each in properties)


def only(model: m.Model) -> m.LtlProperty:
    """The one property that a model was made smaller for."""
    (property_,) = model.properties
    assert isinstance(property_, m.LtlProperty)
    return property_
