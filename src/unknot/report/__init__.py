"""Reports and drawings: self-contained HTML pages and SVG, the same bytes for the same results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unknot._base.exports import exports

if TYPE_CHECKING:
    from unknot.report.audit_report import write_audit_report as write_audit_report
    from unknot.report.configuration_drawing import draw_configuration as draw_configuration
    from unknot.report.configuration_text import describe as describe
    from unknot.report.curves import draw_curves as draw_curves
    from unknot.report.drawing import draw_load as draw_load
    from unknot.report.drawing import draw_network as draw_network
    from unknot.report.page import write_knot_page as write_knot_page
    from unknot.report.pareto import draw_pareto as draw_pareto
    from unknot.report.rules import draw_rule as draw_rule
    from unknot.report.study_report import write_comparison_report as write_comparison_report
    from unknot.report.study_report import write_study_report as write_study_report

__getattr__, __dir__ = exports(__name__)
__all__ = __dir__()
