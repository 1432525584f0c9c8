"""Models with the C runtime as programs of their own, compiled with sanitizers."""

from __future__ import annotations

import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from coset.engines.claim import Claim
from coset.engines.explicit.build import compiler, machine_flags, runtime_files
from coset.engines.explicit.compile import arrangement_by, numbering_of
from coset.engines.explicit.emit.program import emit
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.footprints import Footprints
from coset.engines.explicit.layout import Layout, SlotPlan
from coset.engines.explicit.safety import search_states
from coset.engines.settings import Settings
from coset.model.interpreter import Interpreter
from coset.model.model import Model
from coset.symmetry.canonical.plan import SymmetryPlan
from tests.support.paths import ROOT

HERE = ROOT / "tests" / "c"
LIVENESS = ("cycles.c", "branching.c", "graph.c", "product.c", "shortest.c")
DISK = ("disk.c", "runs.c", "sorting.c")
FLAGS = ("-std=c11", "-O1", "-g", "-pthread", "-fwrapv", "-fno-strict-aliasing", "-fno-sanitize-recover=all", "-w",
         "-fno-builtin")  # fmt: skip
"""Without builtins, as sanitizers do not see a `memcmp` that has become instructions."""
ADDRESS, THREAD = "-fsanitize=address,undefined", "-fsanitize=thread"


@dataclass(frozen=True)
class Built:
    program: Path
    initial: Path

    def run(self, *words: str) -> dict[str, int]:
        """What the program prints; it must not complain."""
        text = run_clean([str(self.program), str(self.initial), *words])
        numbers = text.split()
        return {name: int(value) for name, value in zip(numbers[::2], numbers[1::2], strict=True)}


def run_clean(command: list[str]) -> str:
    # Without address randomisation: gcc's thread sanitizer does not know the layout of recent kernels.
    if shutil.which("setarch"):
        command = ["setarch", platform.machine(), "-R", *command]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr[-4000:]
    assert done.stderr == ""
    return done.stdout


def build(
    model: Model, folder: Path, sanitizer: str, claim: Claim | None = None, symmetry: SymmetryPlan | None = None
) -> Built:
    interpreter = Interpreter(model)
    layout = Layout(interpreter, whole_plan(model), claim_states=claim.states if claim is not None else 0)
    program = emit(layout, claim, symmetry)
    files = runtime_files() | {"model.h": program.header, "model.c": program.source}
    return assemble(files, layout, folder, sanitizer)


def assemble(files: dict[str, str], layout: Layout, folder: Path, sanitizer: str, *flags: str) -> Built:
    for name, text in files.items():
        (folder / name).write_text(text)
    built = Built(folder / "main", folder / "initial")
    built.initial.write_bytes(layout.encode(layout.interpreter.initial()))
    sources = [*(name for name in files if name.endswith(".c")), str(HERE / "main.c")]
    compile_c(folder, sanitizer, [*flags, *sources], built.program)
    return built


def build_coded(
    model: Model,
    folder: Path,
    sanitizer: str,
    *flags: str,
    less: int = 0,
    symmetry: SymmetryPlan | None = None,
    claim: Claim | None = None,
) -> Built:
    """With states as numbers of components; `less` bits than needed for each.  With a claim, the graph of the product is
    recorded."""
    engine = Engine(model)
    search_states(engine, stop_at=0)
    layout = Layout(engine.interpreter, engine.plan, claim_states=claim.states if claim is not None else 0)
    coding = engine.estimate.coding(Footprints(layout), arrangement_by(symmetry, Settings()))
    assert coding is not None
    numbering = None if symmetry is None else numbering_of(coding, symmetry, Settings())
    program = emit(layout, claim, plan=symmetry, coding=coding, numbering=numbering)
    rows = ", ".join(f"{{{s.word}, {s.shift}, {(1 << max(0, s.width - less)) - 1}u}}" for s in coding.bit_fields)
    bit_fields = f'#include "component_dictionary.h"\nconst struct bit_field bit_fields[] = {{{rows}}};\n'
    files = runtime_files() | {"model.h": program.header, "model.c": program.source, "bit_fields.c": bit_fields}
    unused = LIVENESS if claim is None else ("cycles.c", "branching.c")
    for name in (*unused, "depth.c"):
        del files[name]
    return assemble(files, layout, folder, sanitizer, *flags)


def whole_plan(model: Model) -> SlotPlan:
    """The plan with room for every process that there will ever be."""
    engine = Engine(model)
    search_states(engine, stop_at=0)
    return engine.plan


def compile_c(folder: Path, sanitizer: str, sources: list[str], target: Path) -> None:
    # The thread sanitizer does not see that words of a vector are read one by one: it looks at the way without vectors.
    machine = machine_flags() if sanitizer == ADDRESS else ()
    command = [compiler(), *FLAGS, *machine, sanitizer, "-I.", "-o", str(target), *sources]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
