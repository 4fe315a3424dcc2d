"""`unknot run` of a BookSim configuration, and `unknot convert` of one into a study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from unknot._base.errors import UnknotError
from unknot._base.output import make_folder
from unknot.cli.commands.printing import notify, show, show_json, wrote
from unknot.cli.commands.shared import write, write_rows

if TYPE_CHECKING:
    from unknot._base.units import Scale
    from unknot.certificates import Verdict
    from unknot.studies.booksim.runs import Point
    from unknot.studies.booksim.setup import Setup
    from unknot.verify import Delivery

PROOF = 20.0
"""Time limit of the proof, in seconds."""


def run_configuration(
    path: Path,
    overrides: list[str],
    *,
    sweep: str | None,
    faithful: bool,
    jobs: int | None,
    json: bool,
    units: str | None = None,
    out: Path | None = None,
    outside_files: bool = False,
) -> list[Point]:
    """Run a configuration, print what BookSim prints, and then what is known beside it.

    With `out`, a folder, a row for each run is written there, and of a sweep of loads the curves. Returns the points.
    """
    from unknot._base.threads import processors
    from unknot._base.units import Scale
    from unknot.cli.answers.filling import answer
    from unknot.cli.answers.networks import in_units
    from unknot.cli.answers.studies import BookSimAnswer
    from unknot.cli.commands import activity
    from unknot.studies.booksim.runs import run_batches, run_booksim, sweep_of
    from unknot.studies.booksim.setup import read_setup

    scale = Scale.of(units)
    setup = read_setup(path, overrides, faithful=faithful, outside_files=outside_files)
    along = None if sweep is None else sweep_of(sweep)
    if setup.batches and (along or out):
        raise UnknotError("--sweep and --out are for loads, and sim_type = batch has none")
    for words in setup.warnings:
        notify(words)
    if idle := setup.configuration.idle():
        notify(f"{path}: set, and without effect here: {', '.join(idle)}")
    if out is not None:
        make_folder(out)
    if setup.watched:
        _watch(setup)
    with activity.working(path.name) as progress:
        batches = run_batches(setup) if setup.batches else None
        count = processors() if jobs is None else jobs
        points = [] if setup.batches else run_booksim(setup, sweep=along, jobs=count, progress=progress)
    with activity.working("proving"):
        verdict, delivery = _proof(setup)
    rows = [row for point in points for row in point.found.rows]
    if json:
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
        show_json(answer(BookSimAnswer, verdict, of=setup.relation, **more))
    else:
        if batches is not None:
            _show_batches(batches)
        else:
            _show_statistics(setup, points)
        _show_proof(verdict, delivery)
        if points:
            _show_outcomes(setup, points, scale)
    if out is not None:
        write_rows(rows, (out / path.name).with_suffix(".csv"), units=scale.units)
        if along is not None and along[0] == "injection_rate":
            from unknot.report.curves import draw_curves

            runs = [run for point in points for run in point.found.runs]
            write((out / path.name).with_suffix(".svg"), draw_curves({path.stem: runs}, units=scale.units))
    return points


def _show_batches(batches: list[list[int]]) -> None:
    """Print how long the batches take."""
    every = [times for of_seed in batches for times in of_seed]
    for name, cycles in (("min", min(every)), ("avg", sum(every) / len(every)), ("max", max(every))):
        show(f"Overall {name} batch duration = {cycles:g} ({len(batches)} samples)")


def _show_proof(verdict: Verdict, delivery: Delivery) -> None:
    """Whether it can deadlock, and whether every packet arrives."""
    answer = {True: "deadlock-free", False: "can deadlock", None: "undecided"}[verdict.deadlock_free]
    show(f"\n{answer} under {verdict.switching}: {verdict.established}")
    lost = f"not every packet arrives: {delivery.undelivered_pairs} pairs are not served"
    show("every packet arrives" if delivery.delivered else lost)


def _write_text(text: str, target: str) -> None:
    """Write a file that BookSim writes; ``-`` is standard output."""
    from unknot._base.output import write_text

    if target == "-" and text:
        show(text.rstrip("\n"))
    elif target != "-":
        write_text(Path(target), text)
        wrote(target)


def _watch(setup: Setup) -> None:
    """Write what happens to the watched packets."""
    from unknot.simulation import watch

    point = {key: option for key, option in setup.options.items() if key not in ("warmup", "measure", "by_pair")}
    events = watch(setup.relation, min(setup.load, 1.0), setup.watched, seed=setup.seeds[0], **point)
    _write_text("".join(f"{event}\n" for event in events), setup.configuration.text("watch_out"))


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
    from unknot.verify.protocols import Follow, MessageClass, Protocol, check_protocol

    if not setup.answers or "subnets" in setup.options:
        return None
    requests = [MessageClass(name, follows=(Follow(reply),)) for name, reply in setup.answers.items()]
    classes = [*requests, *(MessageClass(reply) for reply in setup.answers.values())]
    protocol = Protocol("requests and replies", tuple(classes), tuple((one.name,) for one in requests))
    verdict = check_protocol(setup.relation, protocol, setup.options["switching"], time_limit=PROOF)
    return f"{protocol.name} in queues of their own: {verdict.established}"


def _show_statistics(setup: Setup, points: list[Point]) -> None:
    """Print the statistics of one point under BookSim's names, and write `stats_out`; of all points its CSV lines."""
    from unknot.studies.booksim.runs import csv_line, overall, statistics_of

    classes = range(len(points[0].found.runs[0].classes) or 1)
    if len(points) == 1:
        show("====== Overall Traffic Statistics ======")
        for k in classes:
            show(f"====== Traffic class {k} ======")
            for name, figure in overall(points[0], k):
                if figure is not None:
                    indent = " " * 8 if name.startswith("\t") else ""
                    show(f"{indent}{name.strip()} = {figure:g} ({len(points[0].found.runs)} samples)")
        show(f"Total run time {points[0].seconds:.3f}")
        if "stats_out" in setup.configuration and "classes" not in setup.options:
            _write_text(statistics_of(points[0].found.runs), setup.configuration.text("stats_out"))
    if setup.configuration.on("print_csv_results"):
        show("\n".join(csv_line(setup, point, k) for point in points for k in classes))


def _show_outcomes(setup: Setup, points: list[Point], scale: Scale) -> None:
    """Print the verdict on replies, and a table of the seeds of one point, or of several points."""
    from unknot.cli.answers.filling import answer
    from unknot.cli.answers.form import Form
    from unknot.cli.answers.runs import RunForm, RunsForm
    from unknot.cli.commands.display import print_forms

    if (established := _of_replies(setup)) is not None:
        show(established)
    form: type[Form] = RunForm
    named: dict[str, Any] = {point.setting: point.found.runs[0] for point in points}
    if len(points) == 1:
        named = {f"seed {run.seed}": run for run in points[0].found.runs}
    elif len(points[0].found.runs) > 1:
        form, named = RunsForm, {point.setting: point.found for point in points}
    filled = {name: answer(form, run, of=setup.relation) for name, run in named.items()}
    print_forms(form, filled, "runs", scale)
    broken = next((point for point in points if point.found.reason), None)
    if broken is not None:
        show(f"{broken.setting}: {broken.found.reason}".removeprefix(": "))
