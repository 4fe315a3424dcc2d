"""The switching techniques; one value of a design drives proof and simulation alike."""

from __future__ import annotations

from typing import Final, Literal

from unknot._base.errors import UnknotError, near

Switching = Literal["saf", "vct", "wormhole", "wormhole-nonatomic"]
SWITCHINGS: tuple[Switching, ...] = ("saf", "vct", "wormhole", "wormhole-nonatomic")
"""Store-and-forward, virtual cut-through, wormhole with atomic VC allocation, wormhole without."""
DEFAULT_SWITCHING: Final[Switching] = "vct"
"""Default technique of functions and commands: what most routers and fabrics do."""
BUFFER_DEPTH: Final = 8
"""Flits per VC unless another number is given."""


def switching_named(name: str) -> Switching:
    """The switching technique of this name, or an error that lists near ones."""
    for known in SWITCHINGS:
        if known == name:
            return known
    called = f"{name!r} is a flow control of a relation, of which check, simulate, curve and studies alone know; here"
    raise UnknotError(
        f"{called} give one of {', '.join(SWITCHINGS)}"
        if "(" in str(name)
        else f"unknown switching {name!r}; {near(str(name), SWITCHINGS)}"
    )
