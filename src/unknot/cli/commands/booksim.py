"""`unknot run` of a BookSim configuration, and `unknot convert` of one into a study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from unknot._base.errors import UnknotError
from unknot.cli.commands.outcomes import say
from unknot.cli.commands.printing import show
from unknot.cli.commands.shared import print_json, write, write_rows

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
    from unknot.cli.answers.units import in_units
    from unknot.cli.commands import activity
    from unknot.studies.booksim.runs import run_booksim, sweep_of
    from unknot.studies.booksim.setup import read_setup

    scale = Scale.of(units)
    setup = read_setup(path, overrides, faithful=faithful, outside_files=outside_files)
    along = None if sweep is None else sweep_of(sweep)
    if setup.batches and (along or out):
        raise UnknotError("--sweep and --out are for loads, and sim_type = batch has none")
    for words in setup.warnings:
        say(words)
    if idle := setup.configuration.idle():
        say(f"{path}: set, and without effect here: {', '.join(idle)}")
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    if setup.watched:
        _watch(setup)
    if setup.batches:
        _run_batches(setup, path, idle, json)
        return []
    shown = _Shown(setup, along is not None, json, scale)
    with activity.busy("simulating"):
        count = processors() if jobs is None else jobs
        points = run_booksim(setup, sweep=along, jobs=count, done=None if along is None else shown.row)
    with activity.busy("proving"):
        verdict, delivery = _proof(setup)
    if json:
        more: dict[str, Any] = {"requests_and_replies": _of_replies(setup), "batches": None}
        more["units"] = in_units(scale.units, [row for point in points for row in point.found.rows])
        _print_json(setup, path, idle, verdict, delivery, points=points, **more)
    else:
        if along is None:
            shown.statistics(points[0])
            _write_statistics(setup, points[0])
        shown.ours(points, verdict, delivery)
    if out is not None:
        _write_curves(points, out / path.name, along is not None and along[0] == "injection_rate", scale)
    return points


def _write_curves(points: list[Point], file: Path, rising: bool, scale: Scale) -> None:
    """Write a row for each run, and the curves of rising loads."""
    from unknot.report.curves import draw_curves

    write_rows([row for point in points for row in point.found.rows], file.with_suffix(".csv"), units=scale.units)
    if rising:
        runs = [run for point in points for run in point.found.runs]
        write(file.with_suffix(".svg"), draw_curves({file.stem: runs}, units=scale.units))


def _run_batches(setup: Setup, path: Path, idle: list[str], json: bool) -> None:
    """Send the batches of a configuration, and print how long they take."""
    from unknot.cli.commands import activity
    from unknot.studies.booksim.runs import run_batches

    with activity.busy("simulating"):
        batches = run_batches(setup)
    with activity.busy("proving"):
        verdict, delivery = _proof(setup)
    if json:
        _print_json(setup, path, idle, verdict, delivery, points=[], requests_and_replies=None, batches=batches)
        return
    every = [times for of_seed in batches for times in of_seed]
    for name, value in (("min", min(every)), ("avg", sum(every) / len(every)), ("max", max(every))):
        show(f"Overall {name} batch duration = {value:g} ({len(batches)} samples)")
    _show_proof(verdict, delivery)


def _print_json(
    setup: Setup, path: Path, idle: list[str], verdict: Verdict, delivery: Delivery, **figures: Any
) -> None:
    """Print the JSON answer; `figures` are of what was simulated."""
    from unknot.cli.answers.booksim import BookSimAnswer
    from unknot.cli.answers.form import answer

    print_json(
        answer(
            BookSimAnswer,
            verdict,
            of=setup.relation,
            file=str(path),
            warnings=setup.warnings,
            without_effect=idle,
            delivered=delivery.delivered,
            **figures,
        )
    )


def _show_proof(verdict: Verdict, delivery: Delivery) -> None:
    """Whether it can deadlock, and whether every packet arrives."""
    answer = {True: "deadlock-free", False: "can deadlock", None: "undecided"}[verdict.deadlock_free]
    show(f"\n{answer} under {verdict.switching}: {verdict.established}")
    show(
        "every packet arrives"
        if delivery.delivered
        else f"not every packet arrives: {delivery.undelivered_pairs} pairs are not served"
    )


def _write_statistics(setup: Setup, point: Point) -> None:
    """Write `stats_out`."""
    from unknot._base.output import write_text
    from unknot.studies.booksim.runs import statistics_of

    if "stats_out" not in setup.configuration or "classes" in setup.options:
        return
    text, target = statistics_of(point.found.runs), setup.configuration.text("stats_out")
    if target == "-":
        show(text.rstrip())
    else:
        write_text(Path(target), text)
        say(f"wrote {target}")


def write_study(path: str, target: Path) -> None:
    """Write a configuration as a study file."""
    from unknot._base.output import write_text
    from unknot.studies.booksim.setup import read_setup
    from unknot.studies.booksim.study import study_of

    setup = read_setup(path)
    write_text(target, study_of(setup))
    for words in setup.warnings:
        say(words)
    show(f"{target}: a study of {path}: {setup.relation.name} on {setup.relation.network.name}")


def _watch(setup: Setup) -> None:
    """Write what happens to the watched packets."""
    from unknot._base.output import write_text
    from unknot.simulation import watch

    point = {key: value for key, value in setup.options.items() if key not in ("warmup", "measure", "by_pair")}
    events = watch(setup.relation, min(setup.load, 1.0), setup.watched, seed=setup.seeds[0], **point)
    target = setup.configuration.text("watch_out")
    if target == "-":
        for event in events:
            show(str(event))
    else:
        write_text(Path(target), "".join(f"{event}\n" for event in events))
        say(f"wrote {target}")


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


class _Shown:
    """Lines on standard output."""

    def __init__(self, setup: Setup, sweeps: bool, json: bool, scale: Scale) -> None:
        self.setup, self.json, self.scale = setup, json, scale
        self.csv = setup.configuration.on("print_csv_results")
        if sweeps and not json:
            show(f"{'':24}  {'Packet latency':>18}  {'Accepted flits':>16}  {'Hops':>6}")

    def row(self, point: Point) -> None:
        """One line of a sweep."""
        if self.json:
            return
        from unknot.studies.booksim.runs import csv_line, overall

        known: dict[str, Any] = dict(overall(point))
        latency, hops = known["Packet latency average"], known["Hops average"]
        width = point.found.runs[0].latency_half_width if len(point.found.runs) == 1 else None
        width = point.found.latency_half_width if width is None else width
        mean = "-" if latency is None else f"{latency:.2f}" + ("" if width is None else f" ± {width:.2f}")
        show(
            f"{point.setting:24}  {mean:>18}  {known['Accepted flit rate average']:16.4f}  "
            f"{'-' if hops is None else f'{hops:.3f}':>6}{self.unsettled(point)}"
            f"{self.scale.ns(latency)}{self.scale.gb_per_s(known['Accepted flit rate average'])}"
        )
        if self.csv:
            show(csv_line(self.setup, point))

    @staticmethod
    def unsettled(point: Point) -> str:
        """Say that a point is not stable, or too short to tell."""
        return "" if point.found.stable else "  too short" if point.found.undecided else "  not stable"

    def statistics(self, point: Point) -> None:
        """Print the statistics at the end of a BookSim run, under BookSim's names."""
        from unknot.studies.booksim.runs import csv_line, overall

        many = len(point.found.runs)
        show("====== Overall Traffic Statistics ======")
        classes = range(len(point.found.runs[0].classes) or 1)
        for k in classes:
            show(f"====== Traffic class {k} ======")
            for name, value in overall(point, k):
                if value is not None:
                    indent = " " * 8 if name.startswith("\t") else ""
                    show(f"{indent}{name.strip()} = {value:g} ({many} samples)")
        show(f"Total run time {point.seconds:.3f}")
        for k in classes if self.csv else ():
            show(csv_line(self.setup, point, k))

    def ours(self, points: list[Point], verdict: Verdict, delivery: Delivery) -> None:
        """Verdict, intervals and saturation."""
        _show_proof(verdict, delivery)
        if (said := _of_replies(self.setup)) is not None:
            show(said)
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
            mean += width + self.scale.ns(run.latency_mean)
            late = f"{_number(run.latency_p99)}{self.scale.ns(run.latency_p99)}"
            load = f"{run.accepted_load:.4f}{self.scale.gb_per_s(run.accepted_load)}"
            show(
                f"seed {run.seed}: {run.outcome}, latency {mean}, median "
                f"{_number(run.latency_p50)}, p99 {late}, accepted {load}, "
                f"{run.packets} packets, {run.cycles} cycles{self.scale.ns(run.cycles)}"
            )
        if runs.reason:
            show(runs.reason)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"
