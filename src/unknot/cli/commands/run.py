"""`unknot run`: a study, or a configuration of BookSim 2."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unknot._base.errors import UnknotError
from unknot._base.output import make_folder
from unknot.cli.commands.options import Json, Options
from unknot.cli.commands.printing import notify
from unknot.cli.commands.shared import kept_in, write, write_rows

if TYPE_CHECKING:
    from unknot._base.frames import Row
    from unknot._base.units import Scale
    from unknot.certificates import Verdict
    from unknot.studies.booksim.setup import Setup
    from unknot.verify import Delivery


@dataclass(frozen=True)
class RunOptions(Options):
    """All options of `unknot run`.

    Attributes
    ----------
    study : argument FILE
        A study file, or a configuration of BookSim 2.
    overrides : argument [KEY=VALUE]...
        BookSim only: take the place of what the file says.
    dask : --dask --executor local|slurm|ADDRESS
        Compute points with workers of Dask, also elsewhere.
    parquet : FILE
        Write a row for each run as Parquet.
    out : DIR
        Folder of the report, by default reports; of BookSim for curves and rows.
    jobs
        Points computed at a time; by default the cores.
    store
        SQLite file of results; by default beside the study.
    outside_files
        Let the file name others outside its folder.
    sweep : KEY=FROM:TO:STEP
        BookSim only: a curve, as injection_rate=0.02:0.4:0.02.
    faithful
        BookSim only: also do what it does where that is known to be wrong.
    allow_code
        Let the study run routings of Python files that it names.
    """

    study: Path
    overrides: list[str] | None = None
    out: Path | None = None
    jobs: int | None = None
    dask: str | None = None
    store: Path | None = None
    outside_files: bool = False
    sweep: str | None = None
    faithful: bool = False
    csv: Path | None = None
    parquet: Path | None = None
    units: str | None = None
    allow_code: bool = False
    json: Json = False


def run(options: RunOptions) -> None:
    """Prove and simulate the designs of a study file, and write a report; or run a configuration of BookSim 2.

    Finished points are kept: a study that was stopped goes on where it stood.
    """
    from unknot._base.units import Scale
    from unknot.studies.booksim.parse import is_configuration

    study, store, scale = options.study, options.store, Scale.of(options.units)
    if is_configuration(study, options.overrides or ()):
        if store is not None or options.dask is not None:
            raise UnknotError(f"{study}: --store and --dask are for studies, not for configurations of BookSim 2")
        write_rows(_run_configuration(options, scale), options.csv, options.parquet, units=scale.units)
        return
    if options.overrides or options.sweep is not None or options.faithful:
        raise UnknotError(f"{study}: KEY=VALUE, --sweep and --faithful are for configurations of BookSim 2")
    from unknot.cli.answers.networks import in_units
    from unknot.cli.answers.studies import RunAnswer
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import tell
    from unknot.report import write_study_report
    from unknot.studies import load_study, run_study
    from unknot.studies.run import default_store
    from unknot.studies.workers import cluster

    loaded = load_study(study, outside_files=options.outside_files, allow_code=options.allow_code)
    out = options.out or Path("reports")
    make_folder(out)
    computing = nullcontext((None, options.jobs)) if options.dask is None else cluster(options.dask, options.jobs)
    bar = activity.working(study.name)
    with kept_in(store or default_store(study)), bar as progress, computing as (executor, jobs):
        outcome = run_study(loaded, executor=executor, jobs=jobs, store=store, progress=progress, note=notify)
    report = out / f"{study.stem}.html"
    write_study_report(outcome, report, units=scale.units)
    if options.csv or options.parquet:
        write_rows(outcome.rows, options.csv, options.parquet, units=scale.units)
    real = in_units(scale.units, outcome.rows) if scale.units else None  # there may be 100,000 rows
    tell(options.json, RunAnswer, outcome, scale=scale, report=str(report), units=real)


PROOF = 20.0
"""Time limit of the proof, in seconds."""


def _run_configuration(options: RunOptions, scale: Scale) -> list[Row]:
    """Run a configuration, and print its verdict and the figures of its points.

    With `out`, a folder, a row for each run is written there, and of a sweep of loads the curves. Returns the rows.
    """
    from unknot._base.threads import processors
    from unknot.cli.answers.comparisons import RunBooksimAnswer
    from unknot.cli.answers.filling import answer
    from unknot.cli.answers.networks import in_units
    from unknot.cli.answers.runs import ClassRunForm
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import print_forms, put
    from unknot.studies.booksim.runs import run_batches, run_booksim, sweep_of
    from unknot.studies.booksim.setup import read_setup

    path, out = options.study, options.out
    setup = read_setup(path, options.overrides or [], faithful=options.faithful, outside_files=options.outside_files)
    along = None if options.sweep is None else sweep_of(options.sweep)
    if setup.batches and (along or out):
        raise UnknotError("--sweep and --out are for loads, and sim_type = batch has none")
    for words in setup.warnings:
        notify(words)
    if idle := setup.configuration.idle():
        notify(f"{path}: set, and without effect here: {', '.join(idle)}")
    if out is not None:
        make_folder(out)
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
