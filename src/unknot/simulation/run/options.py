"""Options of a run: what they may be, and how they are read from text."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from types import NoneType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from unknot._base.errors import SimulationError, TextError
from unknot._base.switching import Switching
from unknot._base.threads import threads_of
from unknot.simulation.engine.classes import Message, TrafficClass
from unknot.simulation.engine.router import Router, check_option
from unknot.simulation.engine.traffic import Bursts, Lengths, length_shares

if TYPE_CHECKING:
    from unknot.network import Network

DEPTH = 8
"""Flits per VC unless another number is given."""
MOST = 2**40
"""Most cycles of a part of a run."""
ROUTERS, FLITS = 1024, 256
"""Routers, or flits created in a cycle, that keep a thread busy; with fewer it waits for the others."""


def check_point(packet_length: int, switching: Switching, buffer_depth: int, seed: int) -> None:
    """Refuse numbers that no run can have."""
    for name, value, least, most in (
        ("packet_length", packet_length, 1, 1 << 20),
        ("buffer_depth", buffer_depth, 1, 1 << 20),
        ("seed", seed, 0, 2**64 - 1),
    ):
        whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        if not whole or not least <= value <= most:
            raise SimulationError(f"{name} must be a whole number from {least} to {most}, got {value!r}")
    if switching in ("saf", "vct") and packet_length > buffer_depth:
        raise SimulationError(
            f"a packet of {packet_length} flits does not fit a buffer of {buffer_depth}; {switching} needs "
            f"buffer_depth of at least packet_length: give {packet_length}, or another switching technique such as "
            "wormhole"
        )


def check_parts(router: Router, bursts: Bursts | None) -> None:
    """Refuse a router or bursts that are none."""
    if not isinstance(router, Router):
        raise SimulationError(f"router must be a Router, such as Router(routing_delay=0), got {router!r}")
    if not isinstance(bursts, (Bursts, NoneType)):
        raise SimulationError(f"bursts must be None or Bursts, such as Bursts(begin=0.01, end=0.1), got {bursts!r}")


def depth_for(switching: Switching, buffer_depth: int | None, *flits: int) -> int:
    """Flits per VC where none are given: 8, or those of the longest message where the technique needs as many."""
    if buffer_depth is not None:
        return buffer_depth
    whole = [n for n in flits if isinstance(n, (int, np.integer))] if switching in ("saf", "vct") else []
    return int(max([DEPTH, *whole]))


def check_load(load: float) -> None:
    """Refuse a load that no terminal can send."""
    if not _is_number(load) or not 0 <= load <= 1:
        raise SimulationError(f"load must be a number from 0 to 1 flit per terminal and cycle, got {load!r}")


def check_run(
    warmup: int | None,
    measure: int | None,
    precision: float | None,
    interval: int | None,
) -> None:
    """Refuse what no run can be asked for."""
    for name, cycles, least in (("warmup", warmup, 0), ("measure", measure, 1), ("interval", interval, 1)):
        if cycles is not None and (
            isinstance(cycles, bool) or not isinstance(cycles, (int, np.integer)) or not least <= cycles <= MOST
        ):
            raise SimulationError(f"{name} must be a whole number of cycles from {least} to {MOST}, got {cycles!r}")
    if precision is not None and (not _is_number(precision) or not 0 < precision < 1):
        raise SimulationError(f"precision must be a number between 0 and 1, such as 0.02, got {precision!r}")
    if precision is not None and measure is not None:
        raise SimulationError("precision chooses how long to measure: give either it or measure")


def run_threads(threads: int | None, network: Network, load: float, *, alone: bool = False) -> int:
    """Threads of a run: those asked for, else one, if it goes `alone`, or as many as there is work for."""
    check_load(load)
    useful = 1 if alone else max(network.num_routers // ROUTERS, int(load * network.num_terminals) // FLITS)
    return threads_of(threads, "simulate", wrong=SimulationError, useful=useful)


def _is_number(value: object) -> bool:
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    return number and math.isfinite(value)  # type: ignore[arg-type]


_T = TypeVar("_T")
_NUMBER = re.compile(r"([+-]?(?:[0-9]{1,9}\.?[0-9]{0,9}|\.[0-9]{1,9}))(?: ?(%)|/([0-9]{1,9}))?")
_PIECE = re.compile(r"(?:[^,(]|\([^)]*\))+")


def router_of(text: str, where: str = "<router>") -> Router:
    """The router that a text such as ``routing_delay=0, speculative=true, allocator=islip`` describes.

    Raises
    ------
    TextError
        At the place that is wrong.
    """
    given: dict[str, Any] = {}
    for column, piece in _pieces(text):
        name, equals, value = piece.partition("=")
        name = name.strip().replace("-", "_")
        if not equals:
            raise TextError("expected option=value, such as routing_delay=0", where, 1, column, text)
        if name in given:
            raise TextError(f"{name} is given twice", where, 1, column, text)
        given[name] = _value(value.strip())
        _located(lambda: check_option(name, given[name]), where, column, text)  # noqa: B023 called at once
    return _located(lambda: Router(**given), where, 1, text)


def router_from(options: Mapping[str, Any]) -> Router:
    """The router with these options.

    Raises
    ------
    SimulationError
        If there is no such option, or its value makes no sense.
    """
    for name, value in options.items():
        check_option(name, value)
    return Router(**options)


def lengths_of(text: str, where: str = "<packet length>") -> Lengths:
    """Flits per packet from a text: a number, or lengths with their shares, such as ``1:0.5, 5:0.5``.

    Raises
    ------
    TextError
        At the place that is wrong.
    """
    if ":" not in text:
        number = text.strip()
        if not re.fullmatch(r"[+-]?[0-9]{1,18}", number):
            raise TextError(
                "expected a number of flits, or lengths and shares such as 1:0.5, 5:0.5", where, 1, 1, text
            )
        length = int(number)
        _located(lambda: length_shares(length), where, 1, text)
        return length
    found: dict[int, float] = {}
    for column, piece in _pieces(text):
        left, _, right = piece.partition(":")
        try:
            length, share = int(left), float(right)
        except ValueError:
            raise TextError("expected length:share, such as 5:0.5", where, 1, column, text) from None
        if length in found:
            raise TextError(f"length {length} is given twice", where, 1, column, text)
        found[length] = share
        _located(lambda: length_shares({length: share}), where, column, text)  # noqa: B023 called at once
    return found


def bursts_of(text: str, where: str = "<bursts>") -> Bursts:
    """On and off terminals from the two probabilities of `Bursts`, such as ``0.01, 0.1``.

    Raises
    ------
    TextError
        At the place that is wrong.
    """
    values: list[float] = []
    for column, piece in _pieces(text):
        try:
            values.append(float(piece))
        except ValueError:
            raise TextError("expected a probability", where, 1, column, text) from None
        _located(lambda: Bursts(values[-1], 1.0), where, column, text)
    if len(values) != 2:
        raise TextError(
            "expected two probabilities, of a burst to begin and of one to end in a cycle, such as 0.01, 0.1",
            where,
            1,
            1,
            text,
        )
    return Bursts(*values)


def class_of(text: str, where: str = "<class>") -> TrafficClass:
    """A traffic class from a text such as ``share=2, traffic=hotspot(3, share=0.1), flits=1, reply=4, priority=1``.

    Raises
    ------
    TextError
        At the place that is wrong.
    """
    given: dict[str, Any] = {}
    for column, piece in _pieces(text):
        name, equals, value = (part.strip() for part in piece.partition("="))
        if not equals or name not in (*_OF_CLASS, *_OF_MESSAGE) or name in given:
            raise TextError(
                f"expected option=value, each once, with one of {', '.join((*_OF_CLASS, *_OF_MESSAGE))}",
                where, 1, column, text,
            )  # fmt: skip
        given[name] = _value(value) if name in _NUMBERS else value.strip("'\"")
    message = {name: given.pop(name) for name in _OF_MESSAGE if name in given}
    return _located(lambda: TrafficClass(messages=(Message(**message),), **given), where, 1, text)


_NUMBERS = ("share", "priority", "flits", "reply")
_OF_CLASS, _OF_MESSAGE = ("share", "traffic", "priority", "name"), ("flits", "kind", "reply", "reply_kind")


def _pieces(text: str) -> Iterable[tuple[int, str]]:
    """The parts between commas, each with its column."""
    for found in _PIECE.finditer(text):
        piece = found.group()
        if piece.strip():
            yield found.start() + len(piece) - len(piece.lstrip()) + 1, piece.strip()


def _value(text: str) -> Any:
    """A number, also as ``50%`` or ``1/2``, true or false; anything else is a word."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if re.fullmatch(r"[+-]?[0-9]{1,18}", text):
        return int(text)
    found = _NUMBER.fullmatch(text)
    if found and (divisor := 100 if found[2] else int(found[3] or 1)):
        return float(found[1]) / divisor
    return text.strip("'\"")


def _located(make: Callable[[], _T], where: str, column: int, text: str) -> _T:
    """Return the result of `make`, or raise its error with its place in the text."""
    try:
        return make()
    except TextError:
        raise
    except SimulationError as error:
        raise TextError(str(error), where, 1, column, text) from None
