"""`unknot run` of a BookSim configuration, and `unknot convert` of one into a study."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unknot._base.errors import UnknotError
from unknot._base.output import make_folder
from unknot.cli.commands.outcomes import notify, wrote
from unknot.cli.commands.printing import show, show_json
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
    from unknot.cli.answers.form import answer
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
    done = None
    if along is not None and not json:
        show(f"{'':24}  {'Packet latency':>18}  {'Accepted flits':>16}  {'Hops':>6}")
        done = partial(_show_row, setup, scale)
    with activity.working("simulating"):
        batches = run_batches(setup) if setup.batches else None
        count = processors() if jobs is None else jobs
        points = [] if setup.batches else run_booksim(setup, sweep=along, jobs=count, done=done)
    with activity.working("proving"):
        verdict, delivery = _proof(setup)
    rows = [row for point in points for row in point.found.rows]
    if json:
        more = {
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
        elif along is None:
            _show_statistics(setup, points[0])
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
    from unknot.verify.replies import request_reply

    if not setup.answers or "subnets" in setup.options:
        return None
    return request_reply(setup.relation, setup.answers, time_limit=PROOF).established


def _show_row(setup: Setup, scale: Scale, point: Point) -> None:
    """Print one line of a sweep."""
    from unknot.studies.booksim.runs import csv_line, overall

    known: dict[str, Any] = dict(overall(point))
    latency, accepted = known["Packet latency average"], known["Accepted flit rate average"]
    runs, hops = point.found.runs, known["Hops average"]
    width = runs[0].latency_half_width if len(runs) == 1 else None
    width = point.found.latency_half_width if width is None else width
    mean = "-" if latency is None else f"{latency:.2f}" + ("" if width is None else f" ± {width:.2f}")
    unsettled = "" if point.found.stable else "  too short" if point.found.undecided else "  not stable"
    show(
        f"{point.setting:24}  {mean:>18}  {accepted:16.4f}  {'-' if hops is None else f'{hops:.3f}':>6}{unsettled}"
        f"{scale.ns(latency)}{scale.gb_per_s(accepted)}"
    )
    if setup.configuration.on("print_csv_results"):
        show(csv_line(setup, point))


def _show_statistics(setup: Setup, point: Point) -> None:
    """Print the statistics at the end of a BookSim run, under BookSim's names, and write `stats_out`."""
    from unknot.studies.booksim.runs import csv_line, overall, statistics_of

    show("====== Overall Traffic Statistics ======")
    classes = range(len(point.found.runs[0].classes) or 1)
    for k in classes:
        show(f"====== Traffic class {k} ======")
        for name, figure in overall(point, k):
            if figure is not None:
                indent = " " * 8 if name.startswith("\t") else ""
                show(f"{indent}{name.strip()} = {figure:g} ({len(point.found.runs)} samples)")
    show(f"Total run time {point.seconds:.3f}")
    for k in classes if setup.configuration.on("print_csv_results") else ():
        show(csv_line(setup, point, k))
    if "stats_out" in setup.configuration and "classes" not in setup.options:
        _write_text(statistics_of(point.found.runs), setup.configuration.text("stats_out"))


def _show_outcomes(setup: Setup, points: list[Point], scale: Scale) -> None:
    """Print the verdict on replies, and intervals of one point or the saturation of several."""
    if (established := _of_replies(setup)) is not None:
        show(established)
    if len(points) > 1:
        broken = [point for point in points if not (point.found.stable or point.found.undecided)]
        steady = [point.setting for point in points if point.found.stable]
        show(
            f"saturation: {broken[0].setting} is the first that is not stable"
            if broken
            else f"{len(steady)} of {len(points)} are stable"
        )
        if broken and steady:
            show(f"{broken[0].setting}: {broken[0].found.reason}")
        return
    runs = points[0].found
    for run in runs.runs:
        width = "" if run.latency_half_width is None else f" ± {run.latency_half_width:.2f} (95 %)"
        mean = "-" if run.latency_mean is None else f"{run.latency_mean:.2f}"
        mean += width + scale.ns(run.latency_mean)
        late = f"{_number(run.latency_p99)}{scale.ns(run.latency_p99)}"
        load = f"{run.accepted_load:.4f}{scale.gb_per_s(run.accepted_load)}"
        show(
            f"seed {run.seed}: {run.outcome}, latency {mean}, median "
            f"{_number(run.latency_p50)}, p99 {late}, accepted {load}, "
            f"{run.packets} packets, {run.cycles} cycles{scale.ns(run.cycles)}"
        )
    if runs.reason:
        show(runs.reason)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"
