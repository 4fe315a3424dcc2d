"""Requests of a closed loop, and their replies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

from unknot._base.errors import SimulationError
from unknot._base.numbers import require_whole


class LoopOptions(TypedDict, total=False):
    """Fields of `Exchange`, which `closed_loop` takes by themselves."""

    request_flits: int
    reply_flits: int
    service: int
    think: int
    itself: bool


@dataclass(frozen=True)
class Exchange:
    """A request and its reply.

    Parameters
    ----------
    request_flits, reply_flits : int
        With 0 flits there are no replies, and a request is done when it has arrived.
    service, think : int
        Cycles between the arrival of a request and its reply, and between that of a reply and the next request.
    itself : bool
        Whether a terminal may send requests to itself, where the pattern says so.

    Raises
    ------
    SimulationError
        If a number makes no sense.
    """

    request_flits: int = 1
    reply_flits: int = 4
    service: int = 0
    think: int = 0
    itself: bool = False

    def __post_init__(self) -> None:
        for name in ("request_flits", "reply_flits", "service", "think"):
            require_whole(name, getattr(self, name), int(name == "request_flits"), error=SimulationError)
