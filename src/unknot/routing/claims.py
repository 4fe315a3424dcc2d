"""Claims of sources about deadlock, by switching technique."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from unknot._base.switching import SWITCHINGS

ACYCLIC: Final[Mapping[str, bool]] = dict.fromkeys(SWITCHINGS, True)
"""No cycle of dependencies between channels is left, so no technique can deadlock."""
ATOMIC: Final[Mapping[str, bool]] = {"saf": True, "vct": True, "wormhole": True}
"""Claimed where a VC holds flits of one packet at a time; nothing is claimed of non-atomic allocation."""
