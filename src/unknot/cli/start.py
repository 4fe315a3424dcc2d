"""Entry point of `python -m unknot`: the package is imported before a line of it, unlike by `unknot_start`."""

from __future__ import annotations

from unknot_start import main as main
