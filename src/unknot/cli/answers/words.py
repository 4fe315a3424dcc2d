"""Words on the terminal for what many answers hold: pairs, cycles, numbers of things, the separate checker."""

from __future__ import annotations

from unknot._base.quantities import By
from unknot.cli.answers.form import Words

PAIR = Words(lambda pair, _: " to ".join(pair or ()))
"""Source and destination on the terminal."""
CIRCLE = Words(lambda names, _: " → ".join([*names, *names[:1]]) if names else "")
"""Names around a cycle on the terminal, back to the first."""
SIZE = By(lambda several, _: len(several))
"""A number of things."""
NONZERO = Words(lambda number, _: number or None)
"""A number on the terminal, where 0 goes without saying."""
CHECKER: dict[bool | None, str] = {True: "accepts it", False: "REJECTS it"}
CHECKED = Words(lambda holds, _: "" if holds is None else f"the separate checker {CHECKER[holds]}")
"""Outcome of the separate checker on the terminal, where the key does not name it."""
