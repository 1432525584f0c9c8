"""A model under analysis: what several engines and properties ask of it, computed once.

>>> from coset.tasks.load import parse_text
>>> analysis = Analysis(parse_text("byte x; active [2] proctype P() { x = 1 }"))
>>> analysis.reduction(analysis.model) is analysis.reduction(analysis.model)
True
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace

from coset.engines.reduction import Reduction, reduction
from coset.engines.settings import Settings
from coset.model import model as m
from coset.model.fairness import UNFAIR, Fairness
from coset.model.passes import merged
from coset.properties.normal import is_stutter_invariant_syntactically
from coset.results.events import Listener, ignore_events
from coset.results.exploration import Exploration
from coset.source.budget import Limits
from coset.source.records import dataclass
from coset.source.timing import phase


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

    def reduction(self, model: m.Model, properties: Sequence[m.Property] = ()) -> Reduction:
        """The symmetry of the model, or of a smaller one, that keeps some properties."""
        key = key_of(model, properties)
        if key not in self._reductions:
            self._reductions[key] = reduction(model, self.kept(properties), self.settings, self.fair, False)
        return self._reductions[key]

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
        if property_ is not None and not is_stutter_invariant_syntactically(property_.formula):
            return None
        model = replace(self.model, properties=() if property_ is None else (property_,))
        if self.settings.symmetry == "off":
            return merged(model, marks=False)
        from coset.symmetry.passes import merged_for_symmetry

        model = merged_for_symmetry(model, marks=False)
        if self.settings.symmetry != "constraints":
            return model
        from coset.symmetry.methods.constraints.form import has_form

        return model if has_form(model) else None


def key_of(model: m.Model, properties: Sequence[m.Property]) -> tuple[int, tuple[str, ...]]:
    """Models live as long as their analysis."""
    return id(model), tuple(each.name for each in properties)


def only(model: m.Model) -> m.LtlProperty:
    """The one property that a model was made smaller for."""
    (property_,) = model.properties
    assert isinstance(property_, m.LtlProperty)
    return property_
