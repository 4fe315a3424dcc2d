"""Reports of a study (what was asked, proved and run, and how to run it again), and of designs side by side."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from unknot._base.phrases import count, listed
from unknot._base.units import Scale, Units
from unknot.network import Network
from unknot.report.configuration_text import replayed
from unknot.report.curve_points import CurvePoint, points
from unknot.report.curves import draw_curves
from unknot.report.page import DrawnKnot, knot, lost, topology
from unknot.report.phrases import bursts, lengths, router
from unknot.report.rendering import page, write
from unknot.routing.relation import Relation
from unknot.simulation.run.replication import FEWEST_SEEDS
from unknot.simulation.run.run import Run
from unknot.studies.result import DesignResult, StudyResult

if TYPE_CHECKING:
    from unknot.studies.comparison import Compared

MOST_RUNS = 1000
"""Runs that the report lists; what it says of loads is of all."""


def write_study_report(result: StudyResult, path: str | Path, *, units: Units | str | None = None) -> None:
    """Write the report of a study as one HTML file that needs nothing else.

    The same result gives the same bytes.

    Parameters
    ----------
    result : StudyResult
        What came of the study.
    path : path
        The file; its folder is made.
    units : Units or str, optional
        Clock and width of a flit, such as ``2 GHz, 16 B``: curves and tables are in nanoseconds and GB/s.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from unknot.studies import Design, Study, run_study
    >>> ring = Design(name="ring", network="ring(4)", routing="dimension_order", vcs=2)
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "study.html"
    ...     write_study_report(run_study(Study(designs=(ring,))), path)
    ...     path.read_text(encoding="utf-8")[:15]
    ...
    '<!DOCTYPE html>'
    """
    write(study_page(result, units=units), path)


def study_page(result: StudyResult, *, units: Units | str | None = None) -> str:
    """Return the page that `write_study_report` writes."""
    designs, study = result.designs, result.study
    return page(
        "study.html",
        title=study.title or (Path(study.path).name if study.path else "Study"),
        lead=_lead(designs),
        study=study,
        designs=designs,
        **_verdicts(designs),
        **_runs(designs, Scale.of(units)),
        networks=[topology(network) for network in _networks(designs)],
        command=_command(study.path, Scale.of(units)),
    )


def _verdicts(designs: tuple[DesignResult, ...]) -> dict[str, Any]:
    """What the page says of proofs: deadlocks and lost packets, by the names of designs."""
    stuck = [(one.design.name, one, one.verdict.configuration) for one in designs]
    losing = [one for one in designs if not one.delivery.delivered]
    return {
        "counterexamples": [
            (name, knot(one.relation, configuration, *replayed(one.replay)))
            for name, one, configuration in stuck
            if configuration is not None
        ],
        "lost": [(one.design.name, lost(one.relation, one.delivery)) for one in losing],
        "vcs_per_channel": _vcs,
        "lengths": lengths,
        "bursts": bursts,
        "router": router,
    }


def _runs(designs: tuple[DesignResult, ...], scale: Scale) -> dict[str, Any]:
    """What the page says of runs."""
    lines = {design.design.name: points(design.runs) for design in designs if design.runs}
    runs = ((design.design.name, run) for design in designs for run in design.runs)
    # Runs are decoded once more only where one came to a deadlock.
    deadlocks = {name for name, line in lines.items() if any(point.deadlocked for point in line)}
    return {
        "scale": scale,
        "curves": _curves(lines, scale) if lines else None,
        "points": [(name, point, point.on(scale)) for name, line in lines.items() for point in line],
        "runs": islice(runs, MOST_RUNS),
        "left_out": max(0, sum(len(design.runs) for design in designs) - MOST_RUNS),
        "deadlocked": [_deadlocked(design) for design in designs if design.design.name in deadlocks],
        "briefly": lambda run: _briefly(run).removeprefix("deadlock "),
        "load": lambda flits: None if flits is None else scale.load(flits),
        "time": lambda cycles: None if cycles is None else scale.time(cycles),
        "general": "{:g}".format,
        "tenths": lambda figure: within(figure, None, 1),
        "within": within,
    }


def _command(path: str | None, scale: Scale) -> str:
    """The command for the same page."""
    study = shlex.quote(path) if path else "STUDY.toml"
    units = "" if scale.units is None else f' --units "{scale.units}"'
    return f"unknot run {study}{units}"


def _curves(lines: dict[str, list[CurvePoint]], scale: Scale) -> Markup:
    """The three curves side by side, and one below the other for narrow screens."""
    drawn = (draw_curves(lines, units=scale.units, stacked=stacked).text for stacked in (False, True))
    both = zip(("abreast", "stacked"), drawn, strict=True)
    return Markup("".join(f'<div class="{name}">{drawn}</div>' for name, drawn in both))


def _lead(designs: tuple[DesignResult, ...]) -> str:
    free = sum(design.verdict.deadlock_free is True for design in designs)
    stuck = [design.design.name for design in designs if design.verdict.deadlock_free is False]
    undecided = [design.design.name for design in designs if design.verdict.deadlock_free is None]
    text = f"{free} of {count(len(designs), 'design')} {'is' if free == 1 else 'are'} deadlock-free."
    if stuck:
        text += f" {listed([f'“{name}”' for name in stuck])} can deadlock."
    if undecided:
        text += f" For {listed([f'“{name}”' for name in undecided])} the question is open."
    return text


def _vcs(relation: Relation) -> str:
    counts = relation.vcs.counts
    if not counts.size:
        return "none"
    return f"{counts.min()}" if relation.vcs.each else f"{counts.min()} to {counts.max()}"


def within(mean: float | None, half_width: float | None, digits: int, seeds: int = 1) -> str:
    """A figure with its confidence interval, where it has one."""
    if mean is None:
        return "–"
    none = " (too few seeds)" if 1 < seeds < FEWEST_SEEDS else ""
    return f"{mean:.{digits}f}" + (none if half_width is None else f" ± {half_width:.{digits}f}")


def _deadlocked(design: DesignResult) -> tuple[str, Run, DrawnKnot]:
    """The first deadlock that a design ran into, by load and seed."""
    stuck = ((run, run.deadlock) for run in design.runs if run.deadlock is not None)
    run, deadlock = min(stuck, key=lambda each: (each[0].offered_load, each[0].seed))
    seen = f"The simulator saw this: {_briefly(run)}, seed {run.seed}."
    return design.design.name, run, knot(design.relation, deadlock, seen, packet_length=run.packet_length)


def _briefly(run: Run) -> str:
    """Return the reason why a run is not stable, without the account of who waits for whom."""
    return run.reason.partition(":")[0] if run.deadlock is not None else run.reason


def _networks(designs: tuple[DesignResult, ...]) -> list[Network]:
    """Each network of the designs once."""
    networks: list[Network] = []
    for design in designs:
        network = design.relation.network
        if not any(network.name == known.name and network == known for known in networks):
            networks.append(network)
    return networks


def write_comparison_report(rows: Sequence[Compared], path: str | Path) -> None:
    """Write the report of a comparison as one HTML file that needs nothing else.

    Parameters
    ----------
    rows : sequence of Compared
        The rows, as `unknot.studies.comparison.compared` yields them.
    path : str or Path
        The file.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from unknot.studies.comparison import compared
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "fabrics.html"
    ...     write_comparison_report(list(compared(["ring(4) by up_down"])), path)
    ...     path.read_text(encoding="utf-8")[:15]
    ...
    '<!DOCTYPE html>'
    """
    designs: dict[str, Compared] = {}
    for row in rows:
        designs.setdefault(row.design, row)
    safe = sum(row.deadlock_free is True and row.delivered is True for row in rows)
    verbs = "is deadlock-free and delivers" if safe == 1 else "are deadlock-free and deliver"
    lead = f"{safe} of {count(len(rows), 'case')} {verbs} all pairs."
    text = page(
        "comparison.html",
        title="Designs side by side",
        lead=lead,
        rows=rows,
        designs=list(designs.values()),
        simulated=any(row.saturation is not None for row in rows),
        energy=any(row.pj_per_bit is not None for row in rows),
        notes=[f"{design}: {row.note}." for design, row in designs.items() if row.note],
        number=_number,
        listed=lambda figures: ", ".join(map(_number, figures)),
    )
    write(text, path)


def _number(number: float | None, digits: int = 0) -> str:
    return "–" if number is None else f"{number:,.{digits}f}"
