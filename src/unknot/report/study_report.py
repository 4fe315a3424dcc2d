"""The report of a study: what was asked, what was proved, how it ran, how to run it again."""

from __future__ import annotations

import shlex
from pathlib import Path

from unknot import __version__
from unknot.network import Network
from unknot.report.curves import draw_curves, points
from unknot.report.findings import counterexample, evidence, knot, longest, lost, replayed, topology
from unknot.report.option_words import bursts, lengths, router
from unknot.report.page import Html, answer, code, element, figure, page, section, table, write
from unknot.report.words import count, listed
from unknot.simulation.run import Run
from unknot.studies.result import DesignResult, StudyResult


def write_study_report(result: StudyResult, path: str | Path) -> None:
    """Write the report of a study as one HTML file that needs nothing else.

    The same result gives the same bytes.

    Parameters
    ----------
    result : StudyResult
    path : path
        The file; its folder is made.
    """
    write(study_page(result), path)


def study_page(result: StudyResult) -> Html:
    """The page that `write_study_report` writes."""
    title = result.study.title or (Path(result.study.path).name if result.study.path else "Study")
    parts = [_verdicts(result.designs)]
    for found in result.designs:
        if found.verdict.configuration is not None:
            drawn = counterexample(found.relation, found.verdict.configuration, *replayed(found.replay))
            parts.append(section(f"How “{found.design.name}” deadlocks", drawn))
    parts += [_lost(found) for found in result.designs if not found.delivery.delivered]
    if any(found.runs for found in result.designs):
        parts.append(_curves(result.designs))
    parts += [_grounds(result.designs), _asked(result)]
    if any(found.runs for found in result.designs):
        parts.append(_runs(result.designs))
    parts.append(_again(result))
    return page(title, _lead(result.designs), *parts)


def _lead(designs: tuple[DesignResult, ...]) -> str:
    free = sum(found.verdict.deadlock_free is True for found in designs)
    stuck = [found.design.name for found in designs if found.verdict.deadlock_free is False]
    undecided = [found.design.name for found in designs if found.verdict.deadlock_free is None]
    text = f"{free} of {count(len(designs), 'design')} {'is' if free == 1 else 'are'} deadlock-free."
    if stuck:
        text += f" {listed([f'“{name}”' for name in stuck])} can deadlock."
    if undecided:
        text += f" For {listed([f'“{name}”' for name in undecided])} the question is open."
    return text


def _verdicts(designs: tuple[DesignResult, ...]) -> Html:
    head = (
        "Design",
        "Switching",
        "Deadlock",
        "Decided by",
        "Evidence",
        "Delivered",
        "Minimal",
        "Longest route",
        "VCs per channel",
    )
    rows = []
    for found in designs:
        verdict, delivery = found.verdict, found.delivery
        rows.append(
            [
                element("b", found.design.name),
                verdict.switching,
                answer(verdict.deadlock_free, "deadlock-free", "can deadlock"),
                verdict.method,
                evidence(verdict, found.certificate_holds),
                answer(delivery.delivered, "all", f"{delivery.undelivered_pairs:,} pairs not"),
                answer(delivery.minimal, "yes", "no", "endless"),
                longest(found.relation, delivery),
                _vcs(found),
            ]
        )
    return section("Verdicts", table(head, rows, numbers=[8]))


def _grounds(designs: tuple[DesignResult, ...]) -> Html:
    note = (
        "A separate small program re-checks every verdict from the routing relation alone: the numbering of virtual "
        "channels that shows that there is no deadlock as well as the configuration that shows one."
    )
    lines = []
    for found in designs:
        verdict = found.verdict
        lines += [element("dt", found.design.name), element("dd", f"{verdict.established}. Scope: {verdict.scope}.")]
    return section("What the verdicts rest on", element("p", note), element("dl", *lines))


def _vcs(found: DesignResult) -> str:
    counts = found.relation.vcs.counts
    if not counts.size:
        return "none"
    low, high = int(counts.min()), int(counts.max())
    return str(low) if low == high else f"{low} to {high}"


def _lost(found: DesignResult) -> Html:
    return section(f"What “{found.design.name}” does not deliver", *lost(found.relation, found.delivery))


def _curves(designs: tuple[DesignResult, ...]) -> Html:
    lines = {found.design.name: found.runs for found in designs if found.runs}
    caption = (
        "Latency from the creation of a packet to the ejection of its tail; loads are means over all terminals. "
        "A hollow mark: the run was not stable, so that its latency has no steady meaning. A cross: the run ended in "
        "a deadlock. Bars and ± are 95 % confidence intervals, over the seeds where a point has several, else of the "
        "run itself."
    )
    return section("Latency and load", figure(draw_curves(lines), caption), _points(designs), *_deadlocked(designs))


def _points(designs: tuple[DesignResult, ...]) -> Html:
    """Each design at each load, its seeds taken together."""
    rows = [
        [
            found.design.name,
            f"{point.load:g}",
            within(point.accepted, point.accepted_half_width, 4),
            within(point.mean, point.mean_half_width, 2),
            _figure(point.p99),
            f"{point.stable_seeds} of {point.seeds}",
        ]
        for found in designs
        for point in points(found.runs)
    ]
    return table(("Design", "Offered", "Accepted", "Mean latency", "p99", "Stable runs"), rows, numbers=range(1, 6))


def within(value: float | None, half_width: float | None, digits: int) -> str:
    """A figure with its confidence interval, where it has one."""
    if value is None:
        return "–"
    return f"{value:.{digits}f}" + ("" if half_width is None else f" ± {half_width:.{digits}f}")


def _deadlocked(designs: tuple[DesignResult, ...]) -> list[Html]:
    """The first deadlock that each design ran into."""
    parts = []
    for found in designs:
        runs = [run for run in found.runs if run.deadlock is not None]
        for run in sorted(runs, key=lambda run: (run.offered_load, run.seed))[:1]:
            heading = f"What “{found.design.name}” ran into at load {run.offered_load:g}"
            seen = f"The simulator saw this: {_briefly(run)}, seed {run.seed}."
            if run.deadlock is not None:
                parts += [
                    element("h3", heading),
                    knot(found.relation, run.deadlock, seen, packet_length=run.packet_length),
                ]
    return parts


def _briefly(run: Run) -> str:
    """Why a run is not stable, without the account of who waits for whom."""
    return run.reason.partition(":")[0] if run.deadlock is not None else run.reason


def _asked(result: StudyResult) -> Html:
    head = ("Design", "Network", "Routing", "VCs", "Switching", "Packet", "Buffer per VC", "Traffic", "Router")
    rows = [
        [
            found.design.name,
            found.design.network,
            found.design.routing,
            "as needed" if found.design.vcs is None else str(found.design.vcs),
            found.design.switching,
            lengths(found.design.packet_length),
            count(found.design.buffer_depth, "flit"),
            found.design.traffic + bursts(found.design.bursts),
            router(found.design.router) or "as by default",
        ]
        for found in result.designs
    ]
    parts: list[Html] = [table(head, rows)]
    parts += [topology(network) for network in _networks(result.designs)]
    if result.study.text:
        parts += [
            element("h3", f"The study{' ' + result.study.path if result.study.path else ''}"),
            code(result.study.text),
        ]
    return section("What was asked", *parts)


def _networks(designs: tuple[DesignResult, ...]) -> list[Network]:
    """Each network of the designs once."""
    found: list[Network] = []
    for design in designs:
        network = design.relation.network
        if not any(network.name == known.name and network == known for known in found):
            found.append(network)
    return found


def _runs(designs: tuple[DesignResult, ...]) -> Html:
    head = (
        "Design",
        "Offered",
        "Accepted",
        "Mean",
        "p50",
        "p95",
        "p99",
        "Hops",
        "Packets",
        "Cycles",
        "Seed",
        "What happened",
    )
    rows = [
        [
            found.design.name,
            f"{run.offered_load:g}",
            within(run.accepted_load, run.accepted_half_width, 4),
            within(run.latency_mean, run.latency_half_width, 2),
            *(_figure(value) for value in (run.latency_p50, run.latency_p95, run.latency_p99)),
            "–" if run.hops_mean is None else f"{run.hops_mean:.2f}",
            f"{run.packets:,}",
            f"{run.cycles:,}",
            str(run.seed),
            _happened(run),
        ]
        for found in designs
        for run in found.runs
    ]
    note = "Loads in flits per terminal per cycle, latencies in cycles, hops in channels crossed by a packet."
    return section("Runs", table(head, rows, numbers=range(1, 11)), element("p", note, class_="note"))


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"


def _happened(run: Run) -> Html:
    if run.stable:
        return answer(True, "stable", "")
    word = "deadlock" if run.deadlock is not None else "not stable"
    return Html(
        f"{answer(False, '', word)} {element('span', _briefly(run).removeprefix('deadlock '), class_='note')}"
    )


def _again(result: StudyResult) -> Html:
    name = shlex.quote(result.study.path) if result.study.path else "STUDY.toml"
    note = f"Unknot {__version__}. Points that are already in the store beside the study are not run again."
    return section("How to run this again", code(f"unknot run {name}"), element("p", note, class_="note"))
