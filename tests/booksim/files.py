"""Small configurations of BookSim for tests."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from unknot.simulation import Router
from unknot_booksim import Setup, read_setup

MESH = "topology = mesh; k = 3; n = 2; routing_function = dor; num_vcs = 2; injection_rate = 0.1;\n"
credited = partial(Router, ejection_credits=True)
"""Routers of BookSim: terminals return credits."""


def written(folder: Path, text: str = MESH) -> Path:
    """A file that holds a configuration."""
    path = folder / "config"
    path.write_text(text, encoding="utf-8")
    return path


def understood(folder: Path, *overrides: str, text: str = MESH, faithful: bool = False) -> Setup:
    """A configuration of a text and overrides."""
    return read_setup(written(folder, text), overrides, faithful=faithful)
