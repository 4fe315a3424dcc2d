"""`unknot run FILE.cfg`: a configuration of BookSim 2, proved and run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unknot._base.errors import UnknotError
from unknot._base.output import make_folder, require_place
from unknot.cli.commands.printing import notify
from unknot.cli.commands.run import FileOptions, RunOptions
from unknot.cli.commands.shared import write, write_rows

if TYPE_CHECKING:
    from unknot._base.frames import Row
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
        BookSim only: take the place of what the file says.
    sweep : KEY=FROM:TO:STEP
        A curve, as injection_rate=0.02:0.4:0.02; with --out, its picture and rows.
    faithful
        Also do what BookSim does where that is known to be wrong.
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

    def run(self, options: RunOptions) -> None:
        """Print the verdict and the figures of all points."""
        from unknot._base.units import Scale

        if options.store is not None or options.dask is not None:
            raise UnknotError(f"{options.study}: --store and --dask are for studies, not for {self.kind}")
        scale = Scale.of(options.units)
        write_rows(_run_configuration(options, self, scale), options.csv, options.parquet, units=scale.units)


PROOF = 20.0
"""Time limit of the proof, in seconds."""


def _run_configuration(options: RunOptions, own: BookSimOptions, scale: Scale) -> list[Row]:
    """Run a configuration, and print its verdict and the figures of its points.

    With `out`, a folder, a row for each run is written there, and of a sweep of loads the curves. Returns the rows.
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

    path, out = options.study, options.out
    setup = read_setup(path, own.overrides or [], faithful=own.faithful, outside_files=options.outside_files)
    along = None if own.sweep is None else sweep_of(own.sweep)
    if setup.batches and (along or out):
        raise UnknotError("--sweep and --out are for loads, and sim_type = batch has none")
    for words in setup.warnings:
        notify(words)
    if idle := setup.configuration.idle():
        notify(f"{path}: set, and without effect here: {', '.join(idle)}")
    if out is not None:
        require_place(out / path.name, makes_folders=True)
    with activity.working(path.name) as progress:
        batches = run_batches(setup) if setup.batches else None
        count = processors() if options.jobs is None else options.jobs
        points = [] if setup.batches else run_booksim(setup, sweep=along, jobs=count, progress=progress)
    for point in points:
        if (load := point.offered_packets * point.mean_length) > 1 + 1e-9:
            which = point.setting or path.name
            notify(f"{which}: {load:g} flits per terminal and cycle; a terminal sends one at most, so 1 was run")
    with activity.working("proving"):
        verdict, delivery = _proof(setup)
    rows = [row for point in points for row in point.runs.rows]
    more: dict[str, Any] = {
        "file": str(path),
        "warnings": setup.warnings,
        "without_effect": idle,
        "delivered": delivery.delivered,
        "requests_and_replies": _of_replies(setup) if points else None,
        "batches": batches,
        "points": points,
        "units": in_units(scale.units, rows) if points else None,
    }
    filled = answer(RunBooksimAnswer, verdict, of=setup.relation, **more)
    put(options.json, RunBooksimAnswer, filled, scale)
    for run in () if options.json or len(points) != 1 else filled["points"][0]["found"]["runs"]:
        print_forms(ClassRunForm, run["classes"], f"classes, seed {run['seed']}", scale)
    if out is not None:
        make_folder(out)
        write_rows(rows, (out / path.name).with_suffix(".csv"), units=scale.units)
        if along is not None and along[0] == "injection_rate":
            from unknot.report.curves import draw_curves

            runs = [run for point in points for run in point.runs.runs]
            write((out / path.name).with_suffix(".svg"), draw_curves({path.stem: runs}, units=scale.units))
    return rows


def _proof(setup: Setup) -> tuple[Verdict, Delivery]:
    from unknot.verify import check, deliver

    switching = setup.options["switching"]
    proofs = [
        (check(relation, switching, time_limit=PROOF, buffer_depth=setup.options["buffer_depth"]), deliver(relation))
        for relation in setup.proved
    ]
    worst = {True: 2, None: 1, False: 0}
    return min(proofs, key=lambda one: (worst[one[0].deadlock_free], one[1].delivered))


def _of_replies(setup: Setup) -> str | None:
    """Return the verdict in words on requests that wait for replies; None without replies."""
    if not setup.answers or "subnets" in setup.options:
        return None
    from unknot.verify.protocols import Follow, MessageClass, Protocol, check_protocol

    requests = [MessageClass(name, follows=(Follow(reply),)) for name, reply in setup.answers.items()]
    classes = [*requests, *(MessageClass(reply) for reply in setup.answers.values())]
    protocol = Protocol("requests and replies", tuple(classes), tuple((one.name,) for one in requests))
    verdict = check_protocol(setup.relation, protocol, setup.options["switching"], time_limit=PROOF)
    return f"{protocol.name} in queues of their own: {verdict.established}"
