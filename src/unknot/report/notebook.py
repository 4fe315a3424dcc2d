"""Notebook displays of networks, verdicts, runs and studies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import singledispatch
from typing import Any

from unknot.certificates.verdict import Verdict
from unknot.report.curves import draw_curves as draw_curves
from unknot.report.drawing import draw_network as draw_network
from unknot.report.phrases import ANSWERS, escape
from unknot.simulation.run.limits import Saturation
from unknot.simulation.run.replication import Runs
from unknot.simulation.run.run import Run
from unknot.studies.result import DesignResult, StudyResult

COLUMNS = (
    "routing",
    "vcs",
    "switching",
    "traffic",
    "offered_load",
    "seed",
    "accepted_load",
    "latency_mean",
    "latency_p99",
)
MOST_ROWS = 60


@singledispatch
def html(shown: Any) -> str:
    """An object as HTML.

    Raises
    ------
    TypeError
        If it is none of those that can be shown.
    """
    raise TypeError(f"{type(shown).__name__} is not shown in notebooks")


@html.register
def _(verdict: Verdict) -> str:
    rows = [
        ("deadlock-free", ANSWERS[verdict.deadlock_free]),
        ("switching", verdict.switching),
        ("established", verdict.established),
        ("method", verdict.method),
        ("scope", verdict.scope),
    ]
    if verdict.configuration is not None:
        rows.append(("counterexample", f"{len(verdict.configuration.messages)} messages, {verdict.reachability}"))
    return _pairs(rows)


@html.register
def _(run: Run) -> str:
    (row,) = run.rows
    names = (*("network", *COLUMNS), "hops_mean", "stable", "reason")
    return _pairs([(name.replace("_", " "), _value(row[name])) for name in names if row[name] not in ("", None)])


@html.register(Runs)
@html.register(Saturation)
def _(several: Runs | Saturation) -> str:
    return _several(repr(several), several.rows) + _curves({"": several.runs})


@html.register
def _(outcome: DesignResult) -> str:
    name = outcome.design.name
    return html(outcome.verdict) + _several(name, outcome.rows) + _curves({name: outcome.runs})


@html.register
def _(study: StudyResult) -> str:
    rows = [
        {
            "design": one.design.name,
            "deadlock_free": ANSWERS[one.verdict.deadlock_free],
            "delivers": ANSWERS[one.delivery.delivered],
            "stable up to": one.stable_up_to,
        }
        for one in study.designs
    ]
    lines = {one.design.name: one.runs for one in study.designs if one.runs}
    return _table(study.study.title, rows) + _curves(lines)


def _curves(lines: Mapping[str, Sequence[Run]]) -> str:
    several = any(len({run.offered_load for run in runs}) > 1 for runs in lines.values())
    return draw_curves(lines).text if several else ""


def _several(title: str, rows: Sequence[Mapping[str, Any]]) -> str:
    names = (*COLUMNS, "stable")
    return _table(title.strip("<>"), [{name: row[name] for name in names} for row in rows])


def _table(title: str, rows: Sequence[Mapping[str, Any]]) -> str:
    head = "".join(f"<th>{escape(name.replace('_', ' '))}</th>" for name in (rows[0] if rows else ()))
    body = "".join(f"<tr>{_cells(map(_value, row.values()))}</tr>" for row in rows[:MOST_ROWS])
    more = f"<p>and {len(rows) - MOST_ROWS} more</p>" if len(rows) > MOST_ROWS else ""
    return f"<table><caption>{escape(title)}</caption><tr>{head}</tr>{body}</table>{more}"


def _pairs(rows: Iterable[tuple[str, str]]) -> str:
    lines = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in rows)
    return f"<table>{lines}</table>"


def _cells(values: Iterable[str]) -> str:
    return "".join(f"<td>{escape(value)}</td>" for value in values)


def _value(figure: Any) -> str:
    if isinstance(figure, bool) or figure is None:
        return "–" if figure is None else ANSWERS[figure]
    return f"{figure:.4g}" if isinstance(figure, float) else str(figure)
