"""`unknot run FILE.cfg`: a configuration of BookSim 2, proved and run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unknot._base.deadline import NEVER, Deadline
from unknot._base.errors import UnknotError
from unknot._base.output import make_folder, require_place
from unknot.cli.commands.answer_files import PAGE
from unknot.cli.commands.asking import FOLDER, PICTURES, current, named, taken
from unknot.cli.commands.guard import SPARED, keeping_the_best
from unknot.cli.commands.printing import notify
from unknot.cli.commands.run import FileOptions, RunOptions, name_needless
from unknot.cli.commands.shared import exit_code
from unknot.cli.commands.written import draw

if TYPE_CHECKING:
    from unknot._base.units import Scale
    from unknot.certificates import Verdict
    from unknot.verify import Delivery
    from unknot_booksim.setup import Setup


@dataclass(frozen=True)
class BookSimOptions(FileOptions):
    """Options for configurations of BookSim 2.

    Attributes
    ----------
    overrides : argument [KEY=VALUE]...
        Keys of BookSim that replace those in the file.
    sweep : KEY=FROM:TO:STEP
        Key and values of a curve, as injection_rate=0.02:0.4:0.02; --out has its picture and rows.
    faithful
        Also repeat BookSim's known errors.
    """

    heading = "Options for configurations of BookSim 2"
    kind = "a configuration of BookSim 2"
    spoken = "KEY=VALUE, --sweep and --faithful"

    overrides: list[str] | None = None
    sweep: str | None = None
    faithful: bool = False

    def takes(self, file: Path) -> bool:
        """Whether a file is a configuration, or an empty one whose statements all stand on the command line."""
        from unknot_booksim.parse import is_configuration

        return is_configuration(file, self.overrides or ())

    def run(self, options: RunOptions) -> int:
        """Print the verdict and the figures of all points; return the exit code."""
        from unknot._base.units import Scale

        if options.store is not None or options.dask is not None:
            raise UnknotError(f"{options.study}: --store and --dask are for studies, not for {self.kind}")
        return _run_configuration(options, self, Scale.of(options.units))


PROOF = 20.0
"""Time limit of the proof, in seconds."""
PROVING, RUNNING = 0.2, 0.9
"""Shares of `--time-limit` for each stage of the proof, and of what is then left for the runs."""


def _run_configuration(options: RunOptions, own: BookSimOptions, scale: Scale) -> int:
    """Run a configuration, and print its verdict and the figures of its points; return the exit code.

    A folder of --out gets a row for each run, and of a sweep of loads the curves. At the time limit, or after Ctrl-C,
    all this is of the points that are finished.
    """
    from unknot._base.threads import processors
    from unknot.cli.answers.filling import answer
    from unknot.cli.answers.networks import in_units
    from unknot.cli.answers.runs import ClassRunForm
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import print_forms, put
    from unknot_booksim.answer import RunBooksimAnswer
    from unknot_booksim.runs import run_batches, run_booksim, sweep_of
    from unknot_booksim.setup import read_setup

    path, kept = options.study, current()
    setup = read_setup(path, own.overrides or [], faithful=own.faithful, outside_files=options.outside_files)
    along = None if own.sweep is None else sweep_of(own.sweep)
    if setup.batches and (along or named(FOLDER, *PICTURES)):
        raise UnknotError("--sweep and pictures are for loads, and sim_type = batch has none")
    for folder in named(FOLDER):
        require_place(folder / path.name, makes_folders=True)
    for page in named(PAGE):
        raise UnknotError(f"{page}: reports are of studies; of a configuration --out writes pictures and rows")
    for words in setup.warnings:
        notify(words)
    if idle := setup.configuration.idle():
        notify(f"{path}: set, and without effect here: {', '.join(idle)}")
    limit = options.deadline
    with activity.working("proving"):
        verdict, delivery = _proof(setup, limit)
        replies = None if setup.batches else _of_replies(setup, limit)
    with keeping_the_best(), activity.working(path.name) as progress:
        until = None if limit is None else limit.part(RUNNING)
        count = processors() if options.jobs is None else options.jobs
        batches = run_batches(setup, time_limit=until) if setup.batches else None
        of_points = partial(run_booksim, setup, sweep=along, jobs=count, progress=progress, time_limit=until or NEVER)
        points = [] if setup.batches else of_points()
    rows = [row for point in points for row in point.runs.rows]
    done, planned = len(points), 1 if along is None else len(along[1])
    if setup.batches is not None and batches is not None:
        done, planned = sum(map(len, batches)), len(setup.seeds) * setup.batches.count
    more: dict[str, Any] = {
        "file": str(path),
        "warnings": setup.warnings,
        "without_effect": idle,
        "delivered": delivery.delivered,
        "requests_and_replies": replies,
        "batches": batches,
        "complete": done == planned,
        "points": points,
        "units": in_units(scale.units, rows) if points else None,
    }
    part = "" if done == planned else f"{done} of {planned} {'points' if batches is None else 'batches'}"
    if along is not None and along[0] == "injection_rate" and rows:
        from unknot.report.curves import draw_curves

        runs = [run for point in points for run in point.runs.runs]
        name = f"{path.stem}, {part}" if part else path.stem
        draw(lambda: draw_curves({name: runs}, units=scale.units))
    if kept is not None:
        kept.rows = rows
        for folder in taken(FOLDER):
            if not rows:
                notify(f"{folder} was not written: there are no rows")
                continue
            make_folder(folder)
            endings = (".csv", ".svg") if kept.picture else (".csv",)
            kept.files += [(folder / path.name).with_suffix(ending) for ending in endings]
    filled = answer(RunBooksimAnswer, verdict, of=setup.relation, **more)
    put(options.json, RunBooksimAnswer, filled, scale)
    for run in () if options.json or len(points) != 1 else filled["points"][0]["found"]["runs"]:
        print_forms(ClassRunForm, run["classes"], f"classes, seed {run['seed']}", scale)
    if options.outside_files:
        name_needless("outside_files", partial(read_setup, path, own.overrides or [], faithful=own.faithful))
    if part and limit is not None and not SPARED.is_set():
        notify(f"given up after {limit.seconds:g} s, the time limit: {part} were finished")
    return exit_code(None if part else True)


def _proof(setup: Setup, limit: Deadline | None) -> tuple[Verdict, Delivery]:
    """The worst verdict and delivery of all relations; with a limit in their share of its seconds."""
    from unknot.verify import check, deliver
    from unknot.verify.delivery import NOT_FOLLOWED

    proofs = []
    for relation in setup.proved:
        until = PROOF if limit is None else limit.part(PROVING)
        options = {"time_limit": until, "buffer_depth": setup.options["buffer_depth"]}
        verdict = check(relation, setup.options["switching"], **options)
        delivery = deliver(relation) if limit is None else limit.part(PROVING).unless_over(partial(deliver, relation))
        proofs.append((verdict, NOT_FOLLOWED if delivery is None else delivery))
    worst = {True: 2, None: 1, False: 0}
    return min(proofs, key=lambda one: (worst[one[0].deadlock_free], worst[one[1].delivered]))


def _of_replies(setup: Setup, limit: Deadline | None) -> str | None:
    """Return the verdict in words on requests that wait for replies; None without replies."""
    if not setup.answers or "subnets" in setup.options:
        return None
    from unknot.verify.protocols import Follow, MessageClass, Protocol, check_protocol

    requests = [MessageClass(name, follows=(Follow(reply),)) for name, reply in setup.answers.items()]
    classes = [*requests, *(MessageClass(reply) for reply in setup.answers.values())]
    protocol = Protocol("requests and replies", tuple(classes), tuple((one.name,) for one in requests))
    until = PROOF if limit is None else limit.part(PROVING)
    verdict = check_protocol(setup.relation, protocol, setup.options["switching"], time_limit=until)
    return f"{protocol.name} in queues of their own: {verdict.established}"
