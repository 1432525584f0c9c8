"""`coset simulate FILE`: a random or an interactive run."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from coset.cli import options as common
from coset.cli.errors import VIOLATED, Missing
from coset.cli.interruption import INCONCLUSIVE, INTERRUPTED
from coset.cli.parser import UsageError
from coset.source.budget import INTERRUPTED as INTERRUPTED_BY_USER
from coset.source.budget import OutOfBudget

if TYPE_CHECKING:
    from random import Random

    from coset.model.interpreter import Move
    from coset.model.model import Model
    from coset.results.cover import Cover
    from coset.tasks.simulate import Ending, Walk

PROMPT = "move? (a number, enter = random, u = undo, q = quit) "


def run(options: argparse.Namespace) -> int:
    if options.cover is not None:
        return cover(options)
    if options.output is not None:
        raise UsageError("-o is the folder for the runs of --cover")
    model = common.load_model(options)
    simulation = Simulation(model, options)
    ending = simulation.run()
    simulation.conclude(ending)
    if ending.kind == "interrupted":
        return INTERRUPTED
    if simulation.stopped:
        return INCONCLUSIVE
    return VIOLATED if ending.failed else 0


def cover(options: argparse.Namespace) -> int:
    """Write a set of runs that covers what can be reached, in the Informal Trace Format."""
    from coset.formats import itf, json_output
    from coset.tasks import cover as covering

    if options.interactive:
        raise UsageError("--cover makes runs of its own: it cannot be used with --interactive")
    if options.output is None and not options.json:
        raise UsageError("--cover needs a folder to write the runs to (-o DIR), or --json")
    model = common.load_model(options)
    found = covering.cover(model, options.cover)
    files: list[Path] = []
    if options.output is not None:
        folder = Path(options.output)
        files = [folder / f"run_{number}.itf.json" for number in range(1, len(found.runs) + 1)]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for file, run in zip(files, found.runs, strict=True):
                file.write_text(json_output.text(itf.itf(run)) + "\n", "utf-8")
        except OSError as error:
            raise Missing(f"-o {options.output}: {error.strerror or error}") from None
    if options.json:
        from coset.formats import cover_json

        print(json_output.text(cover_json.covered(model, options.cover, found, files)))
    else:
        tell(found, options.cover)
    if not found.complete:
        return INTERRUPTED if found.stopped == INTERRUPTED_BY_USER else INCONCLUSIVE
    return 0


def tell(found: Cover, what: str) -> None:
    """How much the runs cover, and what they do not."""
    moves = [len(run.moves) for run in found.runs]
    number = found.targets - len(found.missing)
    common.say(
        f"{number} of {found.targets} {what} in {len(moves)} run{'s' * (len(moves) != 1)} of {sum(moves)} "
        f"move{'s' * (sum(moves) != 1)}"
    )
    for each in found.missing:
        common.say(f"  {'never executed' if found.complete else 'not found'}: {each}")
    if not found.complete:
        common.say(f"stopped at {found.stopped}")


class Simulation:
    """One run, printed move by move, or at the end as JSON."""

    def __init__(self, model: Model, options: argparse.Namespace) -> None:
        from random import Random, SystemRandom

        from coset.results.vocabulary import Vocabulary
        from coset.tasks.simulate import Walk
        from coset.views.terminal import RunView, style

        self.model, self.options = model, options
        self.seed: int = SystemRandom().randrange(2**32) if options.seed is None else options.seed
        self.random: Random = Random(self.seed)
        self.walk: Walk = Walk(model)
        self.vocabulary = Vocabulary(self.walk.interpreter)
        self.told: TextIO = sys.stderr if options.json else sys.stdout  # standard output is for the JSON
        self.view = RunView(model, options.file, style(self.told))
        self.steps: list[dict[str, object]] = []
        self.stopped = False

    def run(self) -> Ending:
        """Move until the run ends, the limit is reached, or the user quits."""
        from coset.tasks.simulate import Ending

        try:
            while self.walk.ending is None or self.options.interactive:
                if self.walk.ending is None and len(self.walk) >= self.options.max_moves:
                    return Ending("limit", "the limit of moves was reached (--max-moves)")
                move = self.choose() if self.options.interactive else self.random.choice(self.walk.options)
                if move is None:
                    return Ending("quit", "quit") if self.walk.ending is None else self.walk.ending
                self.take(move)
        except KeyboardInterrupt:
            return Ending("interrupted", "interrupted")
        except OutOfBudget as limit:
            self.stopped = True
            return Ending("limit", f"stopped at {limit}")
        return self.walk.ending

    def take(self, move: Move) -> None:
        before = self.walk.state
        self.walk.take(move)
        changes = self.vocabulary.changes(before, move.state)
        if self.options.json:
            from coset.formats import json_output

            self.steps.append(json_output.step(self.model, len(self.walk), before, move, changes))
        if self.options.interactive or not self.options.json:
            for line in self.view.move(len(self.walk), before, move, changes):
                self.told.write(
                    f"{line}\n"
                )  # at once, so that an interruption does not come before the end of the line

    def choose(self) -> Move | None:
        """Ask for the next move; None to quit."""
        walk = self.walk
        while True:
            if walk.ending is not None:
                print(f"       {walk.ending.message}", file=self.told)
            for line in self.view.choices(walk.state, walk.options):
                print(line, file=self.told)
            answer = self.ask()
            if answer is None or answer == "q":
                return None
            if answer == "u":
                undone = walk.undo()
                del self.steps[len(walk) :]
                print(f"       back to move {len(walk)}" if undone else "       nothing to undo", file=self.told)
            elif answer == "" and walk.options:
                return self.random.choice(walk.options)
            elif answer.isdecimal() and 0 < int(answer) <= len(walk.options):
                return walk.options[int(answer) - 1]
            else:
                print(f"       '{answer}' is not one of the choices", file=self.told)

    def ask(self) -> str | None:
        """Read a line from the user; None at the end of the input.  Input from a pipe is echoed, so that the output is a
        complete dialogue."""
        print(PROMPT, end="", file=self.told, flush=True)
        answer = sys.stdin.readline()
        if not sys.stdin.isatty():
            print(answer.rstrip("\n"), file=self.told)
        return answer.strip() if answer else None

    def conclude(self, ending: Ending) -> None:
        """Print how the run ended."""
        if self.options.json:
            from coset.formats import json_output

            document = json_output.simulation(
                self.model, self.seed, self.steps, ending.kind, ending.message, self.walk.state
            )
            print(json_output.text(document))
            return
        print(self.view.ending(ending.message, ending.failed, len(self.walk), self.seed))
        if ending.kind == "deadlock":
            for line in self.view.standing(self.walk.state):
                print(line)
