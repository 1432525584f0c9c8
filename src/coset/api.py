"""The Python interface: a loaded model, with a method for each task.

    >>> loop = "do :: atomic { !busy -> busy = true }; busy = false od"
    >>> model = parse_text(f"bool busy; active [3] proctype P() {{ {loop} }}  ltl rests {{ <> [] !busy }}")
    >>> model
    <model.pml: 3 processes, 1 property>
    >>> model.symmetry().found.order, model.explore().states, model.check()["rests"].verdict.value
    (6, 2, 'violated')

`LoadedModel` is a `Model` that also records where it was loaded from; its methods call `coset.tasks`.  Results have a
representation for notebooks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from coset.model.model import CtlProperty, Model
from coset.model.state import State
from coset.results.exploration import Exploration
from coset.results.notebook import pairs
from coset.results.symmetry import SymmetryReport
from coset.results.trace import Run, Trace, digest, replay
from coset.results.verdict import Check
from coset.source.records import dataclass
from coset.tasks import check as check_task
from coset.tasks import explore as explore_task
from coset.tasks import load as load_task
from coset.tasks import prove as prove_task

if TYPE_CHECKING:
    from coset.engines.settings import Settings
    from coset.formats.dot import Diagram
    from coset.results.events import Listener
    from coset.results.proof import Proof
    from coset.symmetry.canonical.state_orbits import StateOrbits
    from coset.views.svg import Svg


class Search(TypedDict, total=False):
    """Options and limits of a search, as for `coset.explore`."""

    engine: str
    steps: str
    symmetry: str | None
    deadlock: str | None
    threads: int | None
    settings: Settings | None
    max_states: int | None
    max_seconds: float | None
    max_memory: int | None
    listener: Listener


class Checking(Search, total=False):
    """Further options of `coset.check`."""

    fair: bool | str | Sequence[str]
    all_errors: bool
    cross_check: bool
    keep_going: bool
    coverage: bool
    strict: bool
    empty_channels: bool


class Proving(TypedDict, total=False):
    """Options of `coset.prove`."""

    weak_fair: bool
    max_spotlight: int | None
    shade: str
    max_seconds: float | None
    listener: Listener


@dataclass(frozen=True, slots=True, eq=False)
class ModelSymmetry(SymmetryReport):
    """The report on the symmetry of a model, which also answers questions about states: the orbit problem.

    >>> model = parse_text("byte x[3]; active [3] proctype P() { do :: x[_pid] = 1 - x[_pid] od }")
    >>> symmetry, start = model.symmetry(), model.initial_state()
    >>> one, two, three = model.successors(start)
    >>> symmetry.same_orbit(one, two), symmetry.orbit_size(one), symmetry.representative(three) == min(one, two, three)
    (True, 3, True)
    """

    orbits: Callable[[], StateOrbits] | None = field(default=None, repr=False)
    """The orbits of states, which are made when they are asked for."""

    def same_orbit(self, one: State, other: State) -> bool:
        """Whether a symmetry takes one state to the other."""
        return self.state_orbits.same_orbit(one, other)

    def representative(self, state: State) -> State:
        """The state that represents the orbit of a state: the least one."""
        return self.state_orbits.representative(state)

    def orbit_size(self, state: State) -> int:
        """The number of states in the orbit of a state."""
        return self.state_orbits.orbit_size(state)

    @property
    def state_orbits(self) -> StateOrbits:
        assert self.orbits is not None
        return self.orbits()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LoadedModel(Model):
    """A model, and the file that it was read from (None for a text), with the macros and folders that were given."""

    file: Path | None = None
    defines: Mapping[str, str] = field(default_factory=dict)
    include_dirs: tuple[str, ...] = ()
    language: str | None = None

    # --- tasks -----------------------------------------------------------------------------------

    def symmetry(
        self, *, method: str = "auto", properties: Sequence[str] | None = None, explain: bool = False
    ) -> ModelSymmetry:
        """The symmetry group of the model and its properties (or of those named), by one of the methods of `coset symmetry`;
        with `explain`, also what breaks the symmetry, and where.  It also tells which states are equal up to symmetry."""
        from coset.tasks.symmetry import state_orbits, symmetry

        known = [each.name for each in self.properties]
        if properties is not None and (unknown := [name for name in properties if name not in known]):
            raise check_task.UnknownProperty(unknown[0], known)
        kept = tuple(each for each in self.properties if properties is None or each.name in properties)
        report = symmetry(self, kept, method=method, explain=explain)
        known_parts = {each.name: getattr(report, each.name) for each in fields(SymmetryReport)}
        return ModelSymmetry(**known_parts, orbits=cache(lambda: state_orbits(self, kept, report.method)))

    def explore(self, **options: Unpack[Search]) -> Exploration:
        """Count the reachable states: `coset.explore`."""
        return explore_task.explore(self, **options)

    def check(
        self,
        properties: Sequence[str] | None = None,
        *,
        ltl: Sequence[str] | str = (),
        ctl: Sequence[str] | str = (),
        invariants: Sequence[str] | str = (),
        **options: Unpack[Checking],
    ) -> Check:
        """Decide every property, or only those named and the formulas given: `coset.check`."""
        ltl, ctl, invariants = listed(ltl), listed(ctl), listed(invariants)
        is_added = bool(ltl or ctl or invariants)
        if self.file is None and is_added:
            raise ValueError("a formula is read together with a file; write it into the text as an `ltl` block instead")
        # Formulas use the names and macros of the file, and each assertion of CSP# has its own model.
        again = self.file is not None and (is_added or load_task.is_suite(self.file, self.language))
        asked = self.file if again and self.file is not None else self
        return check_task.check(
            asked,
            properties=properties,
            ltl=ltl,
            ctl=ctl,
            invariants=invariants,
            defines=self.defines,
            include_dirs=self.include_dirs,
            language=self.language,
            **options,
        )

    def prove(self, properties: Sequence[str] | None = None, **options: Unpack[Proving]) -> Proof:
        """Decide every property for every number of processes: `coset.prove`."""
        is_family = self.file is not None and load_task.is_family(self.file, self.language)
        asked = self.file if is_family and self.file is not None else self
        return prove_task.prove(
            asked,
            properties=properties,
            defines=self.defines,
            include_dirs=self.include_dirs,
            language=self.language,
            **options,
        )

    # --- states ----------------------------------------------------------------------------------

    def initial_state(self) -> State:
        """The state in which the model begins."""
        from coset.model.interpreter import Interpreter

        return Interpreter(self).initial()

    def successors(self, state: State) -> list[State]:
        """The states that one step leads to, without repetitions; a step that ends in a fault leads nowhere."""
        from coset.model.interpreter import Interpreter, is_fault

        steps = Interpreter(self).steps(state)
        return list(dict.fromkeys(step.state for step in steps if not is_fault(step.moves[-1])))

    # --- pictures --------------------------------------------------------------------------------

    def draw(self, what: str = "channels") -> Diagram:
        """A diagram, one of `coset draw --what`; in a notebook Graphviz draws it."""
        from coset.formats.automata import processes, properties
        from coset.options.showing import DRAWINGS
        from coset.tasks import draw as drawing

        match what:
            case "automata":
                return processes(self, self.kinds)
            case "property":
                drawn = [each for each in self.properties if not isinstance(each, CtlProperty)]
                if not drawn:
                    raise drawing.Undrawable("the model has no ltl block and no never claim")
                return properties(self, drawn)
            case "channels":
                return drawing.channels(self, shared_variables=True)
            case "hypergraph":
                return drawing.hypergraph(self)
            case "constraints":
                from coset.tasks.draw_constraints import constraints

                return constraints(self)
            case "features":
                return drawing.model_features(self)
            case "quotient":
                from coset.formats.quotient import state_graph

                return state_graph(explore_task.quotient(self))
        raise ValueError(f"unknown drawing '{what}'; expected one of {', '.join(DRAWINGS)}")

    def replay(self, trace: Trace) -> Run:
        """A counterexample with its states, executed by the reference interpreter."""
        return replay(self.shown_by(trace), trace)

    def chart(self, trace: Trace) -> Svg:
        """A counterexample as a message sequence chart."""
        from coset.views.sequence_chart import Chart

        return Chart(self.replay(trace)).drawing()

    def text(self, trace: Trace, width: int = 100) -> str:
        """A counterexample as text, one lane for each process."""
        from coset.views.lanes import lanes

        return lanes(self.replay(trace), width)

    def shown_by(self, trace: Trace) -> Model:
        """The model that a trace is a run of: in CSP#, each assertion has its own."""
        if (
            self.file is None
            or not load_task.is_suite(self.file, self.language)
            or trace.digest in (None, digest(self))
        ):
            return self
        others = load_task.load_suite(self.file, self.defines, self.language).models
        return next((each for each in others if digest(each) == trace.digest), self)

    # --- itself ----------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        """Models are equal regardless of where they were loaded from."""
        if not isinstance(other, Model):
            return NotImplemented
        compared = [each.name for each in fields(Model) if each.compare]
        return all(getattr(self, name) == getattr(other, name) for name in compared)

    __hash__ = Model.__hash__

    def __repr__(self) -> str:
        return f"<{self.name}: {counted(len(self.processes), 'process')}, {counted(len(self.properties), 'property')}>"

    def _repr_html_(self) -> str:
        rows = (
            ("kinds of processes", tuple(kind.name for kind in self.kinds)),
            ("processes at the start", len(self.processes)),
            ("variables", tuple(variable.name for variable in self.variables)),
            ("properties", tuple(each.name for each in self.properties)),
        )
        return pairs(self.name, rows)


def load(
    path: str | Path,
    defines: Mapping[str, str] | None = None,
    include_dirs: Sequence[str] = (),
    warn: load_task.Warn = load_task.ignore,
    formulas: Sequence[str] = (),
    ctl: Sequence[str] = (),
    language: str | None = None,
    invariants: Sequence[str] = (),
) -> LoadedModel:
    """Load the model in a file; formulas are added to its properties.  `language` names the language if the extension of the
    file does not.  Raises `InputError` with all diagnostics."""
    model = load_task.load(path, defines, include_dirs, warn, formulas, ctl, language, invariants)
    return loaded(model, Path(path), dict(defines or {}), tuple(include_dirs), language)


def parse_text(text: str, name: str = "model.pml", defines: Mapping[str, str] | None = None) -> LoadedModel:
    """The model in a text (Promela)."""
    return loaded(load_task.parse_text(text, name, defines))


def loaded(
    model: Model,
    file: Path | None = None,
    defines: Mapping[str, str] | None = None,
    include_dirs: tuple[str, ...] = (),
    language: str | None = None,
) -> LoadedModel:
    known = {each.name: getattr(model, each.name) for each in fields(Model)}
    return LoadedModel(**known, file=file, defines=defines or {}, include_dirs=include_dirs, language=language)


def statistics(results: Iterable[Exploration | Check]) -> list[dict[str, Any]]:
    """One flat row for each result, for data frames: `pandas.DataFrame(coset.statistics(results))`.

    >>> (row,) = statistics([parse_text("active proctype P() { skip }").explore()])
    >>> row["states"], row["engine"], row["symmetry"]
    (3, 'reference', 1)
    """
    return [result.as_dict() for result in results]


def listed(formulas: Sequence[str] | str) -> Sequence[str]:
    """A single formula becomes a list of one."""
    return [formulas] if isinstance(formulas, str) else formulas


def counted(number: int, noun: str) -> str:
    """
    >>> counted(1, "property"), counted(2, "property"), counted(3, "process")
    ('1 property', '2 properties', '3 processes')
    """
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}es"
    return f"{number} {noun if number == 1 else plural}"
