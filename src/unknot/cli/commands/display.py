"""Results as tables and lines of text."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from unknot._base.units import Scale
from unknot.cli.commands.printing import ANSWERING, printable
from unknot.report.phrases import span
from unknot.routing.relation import Relation

if TYPE_CHECKING:
    from unknot.simulation.run.limits import Saturation
    from unknot.simulation.run.replication import Runs
    from unknot.simulation.run.run import Run
    from unknot.studies.result import DesignResult, StudyResult
    from unknot.verify.delivery import Delivery

Rows = list[tuple[str, str | Text]]
"""Labels and what stands beside them."""
PIPE_WIDTH = 120
"""Columns where stdout is no terminal."""
PLAIN = Scale()
_ANSWER = {True: ("yes", "green"), False: ("NO", "bold red"), None: ("undecided", "yellow")}


def show_run(relation: Relation, run: Run, *, chosen: bool = False, scale: Scale = PLAIN, hint: str = "") -> None:
    """One simulation."""
    rows = [
        *_point_rows(relation, run, f"; {run.packets} measured", chosen, scale),
        _accepted_row(run, scale),
        *_latency_rows(run, scale),
        ("stable", answer(None if run.undecided else run.stable)),
        ("reason", run.reason),
        ("hint", hint),
    ]
    for one in run.classes:
        carried = f"accepted {one.accepted_load:.4f}{scale.gb_per_s(one.accepted_load)} of {one.offered_load:.4g}"
        mean = f"{number(one.latency_mean)} cycles{scale.ns(one.latency_mean)} mean"
        rows.append((f"class {one.name}", f"{mean}, {carried}, {one.packets} packets"))
    if run.faults:
        lost = f"{run.lost_packets} packets lost, {run.lost_flits} flits of them in the network"
        rows.append(("faults", "\n".join((*run.faults, lost))))
    if run.utilisation.size:
        busiest = int(run.utilisation.argmax())
        name, load = relation.network.channel_name(busiest), float(run.utilisation[busiest])
        rows.append(("busiest channel", f"{name}, {load:.3f} flits per cycle{scale.gb_per_s(load)}"))
    phases = f"{run.warmup} warming up, {run.measured} measured"
    took = f"{run.cycles} cycles{scale.ns(run.cycles)} ({phases})"
    rows.append(("simulated", f"{took}, {run.flit_hops} flit-hops, seed {run.seed}"))
    print_rows(rows)
    if run.deadlock is not None:
        from unknot.report.configuration_text import describe

        print()
        sentences(describe(relation, run.deadlock, packet_length=run.packet_length))


def show_runs(relation: Relation, runs: Runs, *, chosen: bool = False, scale: Scale = PLAIN) -> None:
    """One point with several seeds."""
    from unknot.simulation.run.replication import FEWEST_SEEDS

    rows = [
        *_point_rows(relation, runs.runs[0], "", chosen, scale),
        _accepted_row(runs, scale),
        *_latency_rows(runs, scale),
        ("intervals", f"too few seeds: {FEWEST_SEEDS} are needed" if len(runs.runs) < FEWEST_SEEDS else ""),
        (
            "stable",
            Text(
                f"{runs.stable_runs} of {len(runs.runs)} runs",
                style=answer(None if runs.undecided else runs.stable).style,
            ),
        ),
        ("reason", runs.reason),
    ]
    print_rows(rows)
    print_runs("seed", [(str(run.seed), run) for run in runs.runs], scale)


def print_runs(what: str, runs: Iterable[tuple[str, Run | Runs]], scale: Scale) -> None:
    """Print a table with a line for each run, or for several of one point; `what` is what they are named by."""
    lines = []
    for name, run in runs:
        accepted = _accepted_row(run, scale)[1]
        latency = f"{number(run.latency_mean)}{_within(run.latency_half_width, 2)}{scale.ns(run.latency_mean)}"
        p99, hops = f"{number(run.latency_p99)}{scale.ns(run.latency_p99)}", number(run.hops_mean)
        lines.append((name, accepted, latency, p99, hops, answer(None if run.undecided else run.stable)))
    right = (what, "accepted", "latency", "p99", "hops")
    print_table((*right, "stable"), lines, right=right, whole=right)


def _accepted_row(run: Run | Runs, scale: Scale) -> tuple[str, str]:
    load = run.accepted_load
    return "accepted load", f"{load:.4f}{_within(run.accepted_half_width, 4)}{scale.gb_per_s(load)}"


def _point_rows(relation: Relation, run: Run, more: str, chosen: bool, scale: Scale) -> Rows:
    """Rows that describe the design and load of a simulated point."""
    from unknot.report.phrases import bursts, lengths, router

    offered = f"{run.offered_load:g} flits per terminal per cycle{scale.gb_per_s(run.offered_load)}"
    return [
        *subject_rows(relation, chosen=chosen),
        ("switching", f"{run.switching}, {run.buffer_depth} flits per virtual channel"),
        ("router", router(run.router)),
        ("packets", f"{lengths(dict(run.lengths) or run.packet_length)}{more}"),
        ("offered load", f"{offered}{bursts(run.bursts)}"),
    ]


def subject_rows(relation: Relation, *, chosen: bool = False) -> Rows:
    """A network, a routing with its virtual channels, and whether their number was given or chosen."""
    note = " (chosen; --vcs gives another number)" if chosen else ""
    low, high = (int(f()) for f in (relation.vcs.counts.min, relation.vcs.counts.max)) if relation.num_vcs else (0, 0)
    vcs = f"{span(low, high)} virtual channel{'' if high == 1 else 's'} per channel"
    return [("network", relation.network.name), ("routing", f"{relation.name}, {vcs}{note}")]


def _latency_rows(run: Run | Runs, scale: Scale) -> Rows:
    mean = f"{number(run.latency_mean)}{_within(run.latency_half_width, 2)} cycles{scale.ns(run.latency_mean)} mean"
    names = {"median": run.latency_p50, "p95": run.latency_p95, "p99": run.latency_p99, "max": run.latency_max}
    inside = run.network_latency_mean
    return [
        ("packet latency", mean),
        ("", ", ".join(f"{number(value)}{scale.ns(value)} {name}" for name, value in names.items())),
        ("network latency", f"{number(inside)} cycles{scale.ns(inside)} mean"),
        ("hops", f"{number(run.hops_mean)} mean"),
    ]


def show_saturation(
    relation: Relation, saturation: Saturation, empty: float, *, chosen: bool = False, scale: Scale = PLAIN
) -> None:
    """Saturation of a network, with the latency of the empty one."""
    limit = "stable at load 1" if saturation.limit is None else f"not stable at {saturation.limit:.4g}"
    limit += scale.gb_per_s(saturation.limit)
    stable, most = f"{saturation.load:.4g}{scale.gb_per_s(saturation.load)}", saturation.throughput
    rows: Rows = [
        *subject_rows(relation, chosen=chosen),
        ("zero-load latency", f"{empty:.2f} cycles{scale.ns(empty)} mean"),
        ("saturation", f"stable at {stable}, {limit} flits per terminal per cycle"),
        ("throughput", f"{most:.4f} flits per terminal per cycle{scale.gb_per_s(most)} accepted at most"),
    ]
    print_rows(rows)


def show_study(result: StudyResult, *, scale: Scale = PLAIN) -> None:
    """One line for each design."""
    lines: list[tuple[str | Text, ...]] = []
    for design in result.designs:
        answers = design.verdict.deadlock_free, design.delivery.delivered, design.delivery.minimal
        latency = "–"
        if design.runs:
            mean, load = design.runs[0].latency_mean, design.runs[0].offered_load
            latency = f"{number(mean)}{scale.ns(mean)} at {load:g}{scale.gb_per_s(load)}"
        lines.append((Text(design.design.name), *map(answer, answers), latency, _loads(design, scale)))
    headings = ("design", "deadlock-free", "delivers", "minimal", "latency", "loads")
    print_table(headings, lines, title=Text(result.study.title, style="bold not italic"))


def _loads(design: DesignResult, scale: Scale) -> str:
    if not design.runs:
        return "not simulated"
    broken = next((run for run in design.runs if not (run.stable or run.undecided)), None)
    stable = [run.offered_load for run in design.runs if run.stable]
    if broken is None and stable:
        return f"stable up to {max(stable):g}{scale.gb_per_s(max(stable))}"
    broken = broken or design.runs[0]
    return f"{broken.outcome} at {broken.offered_load:g}{scale.gb_per_s(broken.offered_load)}"


def answer(value: bool | None) -> Text:
    """Yes, NO or undecided, coloured."""
    word, style = _ANSWER[value]
    return Text(word, style=style)


def delivery_rows(relation: Relation, delivery: Delivery) -> Rows:
    """Whether every packet arrives, and how long routes are."""
    rows: Rows = [("delivers", answer(delivery.delivered))]
    if delivery.delivered is None:
        return rows
    if not delivery.delivered:
        rows.append(("undelivered", f"{delivery.undelivered_pairs} of {delivery.pairs} pairs"))
        for at, address in delivery.dead_ends[:3]:
            rows.append(("dead end", f"{relation.vcs.name(at)}, for {relation.address_name(address)}"))
        for input_vcs, address in delivery.loops[:3]:
            names = ", ".join(relation.vcs.name(at) for at in input_vcs)
            rows.append(("loop", f"{names}, for {relation.address_name(address)}"))
    rows.append(
        ("minimal", answer(delivery.minimal) if delivery.minimal is not None else "no: routes may be endless")
    )
    if delivery.longest_route is not None and delivery.longest_pair is not None:
        source, address = delivery.longest_pair
        pair = f"{relation.network.terminal_name(source)} to {relation.address_name(address)}"
        rows.append(("longest route", f"{delivery.longest_route} hops, such as {pair}"))
    return rows


def print_rows(rows: Sequence[tuple[str, str | Text]]) -> None:
    """Print labels and what stands beside them, without those beside which nothing stands."""
    console().print(two_columns(rows))


def print_table(
    headings: Iterable[str],
    rows: Iterable[Iterable[str | Text]],
    *,
    title: str | Text = "",
    right: Collection[str] = (),
    whole: Collection[str] = (),
) -> None:
    """Print a table if it has rows; columns in `right` are flush right, those in `whole` are not wrapped."""
    table = Table(box=SIMPLE_HEAD, title=title or None, title_justify="left")
    for heading in headings:
        table.add_column(heading, justify="right" if heading in right else "left", no_wrap=heading in whole)
    for row in rows:
        table.add_row(*row)
    if table.rows:
        console().print(table)


def two_columns(rows: Sequence[tuple[str, str | Text]]) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column()
    for label, value in rows:
        if value:
            grid.add_row(Text(label), value if isinstance(value, Text) else Text(value))
    return grid


def sentences(lines: Iterable[str]) -> None:
    out = console()
    for line in lines:
        out.print(Text(line), soft_wrap=True)


class _Console(Console):
    """A console whose texts hold nothing that a terminal obeys, and nothing that the stream cannot hold."""

    def render(self, renderable: Any, options: Any = None) -> Iterator[Segment]:
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else printable(text, self.file), style, control)


def console(*, errors: bool = False) -> Console:
    """Console for answers, or with `errors` for signs of activity."""
    if not errors:
        ANSWERING.set()
    width = None if errors or sys.stdout.isatty() else PIPE_WIDTH
    return _Console(highlight=False, width=width, stderr=errors)


def accepts(holds: bool | None) -> str:
    return {True: "accepts it", False: "REJECTS it", None: "could not go through it again: too large"}[holds]


def _within(half_width: float | None, digits: int) -> str:
    return "" if half_width is None else f" ± {half_width:.{digits}f}"


def number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}".rstrip("0").rstrip(".")
