"""Options of a run read from text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from unknot._base.errors import SimulationError, TextError, require_known
from unknot.simulation.engine.router import Router, check_option
from unknot.traffic.workload import Bursts, Lengths, Message, TrafficClass, length_shares

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
    options = _options(text, where, "routing_delay=0", _router_option)
    return _located(lambda: Router(**options), where, 1, text)


def router_from(options: Mapping[str, Any]) -> Router:
    """The router with these options.

    Raises
    ------
    SimulationError
        If there is no such option, or its value makes no sense.
    """
    for name, setting in options.items():
        check_option(name, setting)
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
    shares: dict[int, float] = {}
    for column, piece in _pieces(text):
        left, _, right = piece.partition(":")
        try:
            length, share = int(left), float(right)
        except ValueError:
            raise TextError("expected length:share, such as 5:0.5", where, 1, column, text) from None
        if length in shares:
            raise TextError(f"length {length} is given twice", where, 1, column, text)
        shares[length] = share
        _located(lambda: length_shares({length: share}), where, column, text)  # noqa: B023 called at once
    return shares


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
    options = _options(text, where, "flits=1", _class_option)
    message = {name: options.pop(name) for name in _OF_MESSAGE if name in options}
    return _located(lambda: TrafficClass(messages=(Message(**message),), **options), where, 1, text)


_NUMBERS = ("share", "priority", "flits", "reply")
_OF_CLASS, _OF_MESSAGE = ("share", "traffic", "priority", "name"), ("flits", "kind", "reply", "reply_kind")


def _router_option(name: str, setting: str) -> Any:
    check_option(name, _setting(setting))
    return _setting(setting)


def _class_option(name: str, setting: str) -> Any:
    require_known("traffic class: unknown option", name, (*_OF_CLASS, *_OF_MESSAGE), SimulationError)
    return _setting(setting) if name in _NUMBERS else setting.strip("'\"")


def _options(text: str, where: str, example: str, read: Callable[[str, str], Any]) -> dict[str, Any]:
    """The options in a text, each read by its name."""
    options: dict[str, Any] = {}
    for column, piece in _pieces(text):
        name, equals, setting = piece.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or name in options:
            words = f"{name} is given twice" if equals else f"expected option=value, such as {example}"
            raise TextError(words, where, 1, column, text)
        options[name] = _located(lambda: read(name, setting.strip()), where, column, text)  # noqa: B023 called at once
    return options


def _pieces(text: str) -> Iterable[tuple[int, str]]:
    """The parts between commas, each with its column."""
    for match in _PIECE.finditer(text):
        piece = match.group()
        if piece.strip():
            yield match.start() + len(piece) - len(piece.lstrip()) + 1, piece.strip()


def _setting(text: str) -> Any:
    """A number, also as ``50%`` or ``1/2``, true or false; anything else is a word."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if re.fullmatch(r"[+-]?[0-9]{1,18}", text):
        return int(text)
    match = _NUMBER.fullmatch(text)
    if match and (divisor := 100 if match[2] else int(match[3] or 1)):
        return float(match[1]) / divisor
    return text.strip("'\"")


def _located(make: Callable[[], _T], where: str, column: int, text: str) -> _T:
    """Return the result of `make`, or raise its error with its place in the text."""
    try:
        return make()
    except TextError:
        raise
    except SimulationError as error:
        raise TextError(str(error), where, 1, column, text) from None
