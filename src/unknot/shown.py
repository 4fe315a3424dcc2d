"""Notebook display of objects, made by `unknot.report` and loaded when a notebook asks."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Shown:
    """Base of objects that a notebook shows as HTML."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return str(_report().html(self))


class Drawn:
    """Base of objects that a notebook shows as a picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(_report().picture(self))


def curves(runs: Any, *, units: Any = None) -> Any:
    """Draw the curves of some runs."""
    return import_module("unknot.report.curves").draw_curves(runs, units=units)


def _report() -> Any:
    return import_module("unknot.report.notebook")
