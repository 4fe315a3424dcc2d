"""Reports and drawings: self-contained HTML pages and SVG, the same bytes for the same results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unknot._base.moved import names_of

if TYPE_CHECKING:
    from unknot.report.audit_report import write_audit_report
    from unknot.report.configuration_text import describe
    from unknot.report.curves import draw_curves
    from unknot.report.cycle_drawing import draw_cycle
    from unknot.report.drawing import draw_configuration, draw_network
    from unknot.report.load_drawing import draw_load
    from unknot.report.rule_drawing import draw_rule
    from unknot.report.series_drawing import draw_series
    from unknot.report.study_report import write_study_report

__all__ = [
    "describe",
    "draw_configuration",
    "draw_curves",
    "draw_cycle",
    "draw_load",
    "draw_network",
    "draw_rule",
    "draw_series",
    "write_audit_report",
    "write_study_report",
]

_HOMES = {
    "draw_configuration": "drawing",
    "draw_curves": "curves",
    "draw_cycle": "cycle_drawing",
    "draw_load": "load_drawing",
    "draw_network": "drawing",
    "draw_rule": "rule_drawing",
    "draw_series": "series_drawing",
    "describe": "configuration_text",
    "write_audit_report": "audit_report",
    "write_study_report": "study_report",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for, so that start-up stays fast."""
    if name in _HOMES:
        import importlib

        return getattr(importlib.import_module(f"unknot.report.{_HOMES[name]}"), name)
    return names_of(__name__, 2)(name)


def __dir__() -> list[str]:
    return sorted(__all__)
