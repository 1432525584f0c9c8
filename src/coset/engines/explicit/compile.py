"""From a model to a loaded library: lay out its states, emit C, compile."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from coset.engines.claim import Claim
from coset.engines.contract import Unsupported
from coset.engines.evidence import OrbitPaths
from coset.engines.explicit.build import library
from coset.engines.explicit.components import Coding
from coset.engines.explicit.emit.claims import has_graph
from coset.engines.explicit.emit.program import GeneratedProgram, emit, supported
from coset.engines.explicit.estimate import LayoutEstimate, as_they_are
from coset.engines.explicit.footprints import Footprints
from coset.engines.explicit.layout import Layout, SlotPlan, plan_for
from coset.engines.explicit.packing import Seen
from coset.engines.explicit.quick import quick_library
from coset.engines.explicit.seam import Storage
from coset.engines.settings import Settings
from coset.model.interpreter import Interpreter
from coset.model.model import Model
from coset.model.state import State
from coset.source.records import dataclass
from coset.source.timing import phase

if TYPE_CHECKING:
    from coset.engines.explicit.components import Components, Sort
    from coset.engines.explicit.emit.columns import ColumnNumbering
    from coset.engines.explicit.emit.numbered import Numbering
    from coset.model.analysis.facts import Facts
    from coset.symmetry.canonical.anonymous_plan import AnonymousPlan
    from coset.symmetry.canonical.literal_plan import LiteralPlan
    from coset.symmetry.canonical.plan import SymmetryPlan


@dataclass(slots=True)
class Compiled:
    """A model as a loaded library."""

    layout: Layout
    program: GeneratedProgram
    library: ctypes.CDLL
    seconds: float
    seen: Seen | None = None
    """The estimate of values that determined the packing; None if states are not packed by their bits."""
    coding: Coding | None = None
    """The packing of states as numbers of components; None if they are not packed in this way."""
    quick: bool = False
    """Whether it was compiled by the quick tier."""
    graph: bool = False
    """Whether its search records the graph of a product."""
    numbering: Numbering | ColumnNumbering | None = None
    """How symmetries act on packed states."""


@dataclass(frozen=True, slots=True)
class ExactOrbits(OrbitPaths):
    """The orbits of states in a program that was generated with a plan for exact representatives."""

    compiled: Compiled

    def __call__(self, state: State) -> State:
        """The representative of the orbit of a state."""
        layout, size = self.compiled.layout, self.compiled.layout.size
        image = ctypes.create_string_buffer(size)
        self.compiled.library.representative(ctypes.create_string_buffer(layout.encode(state), size), image)
        return layout.decode(image.raw)

    def through(self, start: State, wanted: Sequence[State]) -> list[State]:
        layout, size, count = self.compiled.layout, self.compiled.layout.size, len(wanted)
        given = ctypes.create_string_buffer(b"".join(map(layout.encode, wanted)), size * count + 1)
        out = ctypes.create_string_buffer(size * count + 1)
        first = ctypes.create_string_buffer(layout.encode(start), size)
        done = self.compiled.library.unpermuted(first, given, count, out)
        raw = out.raw
        return [layout.decode(raw[k * size : (k + 1) * size]) for k in range(done)]


def emitted(model: Model) -> GeneratedProgram:
    """The C that `explore` compiles first for a model: every statement is a step, and there is no symmetry.
    Needs no compiler."""
    interpreter = Interpreter(model)
    estimate = LayoutEstimate(interpreter)
    layout = Layout(interpreter, plan_for(estimate.states))
    reason = supported(layout)
    if reason is not None:
        raise Unsupported(reason)
    footprints = Footprints(layout)
    coding = estimate.coding(footprints)
    seen = estimate.roomy(layout) if coding is None else None
    return emit(layout, seen=seen, coding=coding, footprints=footprints, storage=Storage[Settings().storage.upper()])


def arrangement_by(
    symmetry: SymmetryPlan | LiteralPlan | AnonymousPlan | None, settings: Settings
) -> Callable[[Components], None]:
    """What is done with components that symmetries exchange: they are counted one by one, and columns are aligned."""
    from coset.symmetry.canonical.plan import SymmetryPlan

    if not isinstance(symmetry, SymmetryPlan):
        return as_they_are
    from coset.engines.explicit.emit.columns import columns_of
    from coset.engines.explicit.emit.movement import component_orbits
    from coset.engines.explicit.emit.numbered import number

    def arrange(components: Components) -> None:
        components.separate(component_orbits(components, symmetry))
        if settings.representative != "auto":
            return
        found = number(components, symmetry)
        sorted_ = columns_of(components, symmetry) if found is None else None
        if found is not None and found.ring:
            components.align(found.ring)
        if sorted_ is not None and not sorted_.is_nested:
            for family in sorted_.families:
                components.align([sorted_.rows[k] for k in family])

    return arrange


def numbering_of(
    coding: Coding | None, symmetry: SymmetryPlan | LiteralPlan | AnonymousPlan, settings: Settings
) -> Numbering | ColumnNumbering | None:
    """How symmetries act on packed states; None if representatives are found among whole ones."""
    if coding is None or settings.representative != "auto":
        return None
    from coset.engines.explicit.emit.columns import number_columns
    from coset.engines.explicit.emit.numbered import number

    return number(coding.components, symmetry) or number_columns(coding, symmetry)


def kind_of_search(claim: Claim | None, graph: bool) -> str:
    """Its name in `build.SEARCHES`."""
    if claim is None:
        return "states"
    if claim.observes:
        return "graph"
    return ("fair product" if claim.fairness else "product") if graph else "cycles"


@phase("compile")
def compile_model(
    interpreter: Interpreter,
    plan: SlotPlan,
    claim: Claim | None = None,
    symmetry: SymmetryPlan | LiteralPlan | AnonymousPlan | None = None,
    facts: Facts | None = None,
    settings: Settings = Settings(),  # noqa: B008 (it is frozen)
    estimate: LayoutEstimate | None = None,
    quick: bool = False,
) -> Compiled:
    """The library of a model under a plan, with the automaton of a property if there is one to check, and with
    representatives if there is a plan for them.  A `quick` program is compiled at once and keeps whole states (quick.py)."""
    from coset.symmetry.canonical.anonymous_plan import AnonymousPlan

    is_anonymous = isinstance(symmetry, AnonymousPlan)
    if isinstance(symmetry, AnonymousPlan):
        plan = plan.mixed(symmetry.processes.written)
    layout = Layout(interpreter, plan, claim_states=claim.states if claim is not None else 0)
    reason = supported(layout)
    if reason is not None:
        raise Unsupported(reason)
    if symmetry is not None and not is_anonymous and not layout.fixed:
        raise Unsupported("symmetry where one process number is used for processes of several kinds")
    if quick:
        program = emit(layout, claim, symmetry, facts, storage=Storage.STATES, quick=True)
        began = time.monotonic()
        made = quick_library(program.header, program.source)
        if made is not None:
            graph = has_graph(claim, facts is not None, quick=True)
            return Compiled(layout, program, made, time.monotonic() - began, quick=True, graph=graph)
    footprints = Footprints(layout)
    graph = has_graph(claim, facts is not None, quick=False)
    seen, coding, numbering = None, None, None
    if estimate is not None:
        is_fair = claim is not None and bool(claim.fairness)  # who takes part in a step is not memoised
        whole = (claim is not None and not graph) or is_fair
        coding = None if whole else estimate.coding(footprints, arrangement_by(symmetry, settings))
        if symmetry is not None:
            numbering = numbering_of(coding, symmetry, settings)
            coding = None if numbering is None else coding
        seen = estimate.roomy(layout) if coding is None else None
    storage = Storage[settings.storage.upper()] if claim is None else Storage.STATES
    program = emit(layout, claim, symmetry, facts, seen, coding, footprints, storage, numbering=numbering)
    began = time.monotonic()
    loaded, _ = library(
        program.header,
        program.source,
        search=kind_of_search(claim, graph),
        depth=claim is None and settings.order == "depth",
        checkpoints=settings.checkpoints is not None and settings.cluster is None,
        caches=coding is not None,
        numbered=numbering is not None,
        disk=claim is None and settings.storage == "disk",
        share=claim is None and settings.cluster is not None,
    )
    return Compiled(layout, program, loaded, time.monotonic() - began, seen, coding, False, graph, numbering)


def widened(compiled: Compiled, counts: dict[Sort, int]) -> Compiled | None:
    """The same program with more bits for components of which so many values are expected; None if it would be another program.
    The positions of components are data of a search."""
    old, numbering = compiled.coding, compiled.numbering
    if old is None:
        return None
    new = Coding(old.components, old.footprints, old.counts | counts)
    if new.words != old.words or new.is_aligned != old.is_aligned:
        return None
    if numbering is not None:
        from coset.engines.explicit.emit.columns import MOST_VALUES

        most = max(new.counts[new.components.all[k].sort] for k in numbering.active)
        if most > MOST_VALUES or numbering.constants(new) != numbering.constants(old):
            return None
    return replace(compiled, coding=new, seconds=0.0)
