"""Options of a run read from text."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import fields
from functools import partial, wraps
from typing import Any, TypeVar

from unknot._base.calls import Piece, chosen, parse_call
from unknot._base.errors import require_known
from unknot.simulation.engine.router import Router, check_option
from unknot.traffic.patterns import patterns
from unknot.traffic.workload import Bursts, Lengths, Message, TrafficClass, length_shares

T = TypeVar("T")


def if_text(read: Callable[..., T]) -> Callable[..., T]:
    """Let a function read options given as texts, and return all other options unchanged."""

    @wraps(read)
    def given(text: Any, *more: Any) -> Any:
        return read(text, *more) if isinstance(text, str) else text

    return given


_NUMBER = re.compile(r"([+-]?(?:[0-9]{1,9}\.?[0-9]{0,9}|\.[0-9]{1,9}))(?: ?(%)|/([0-9]{1,9}))?")


@if_text
def router_of(text: str, where: str = "<router>") -> Router:
    """The router that a text such as ``routing_delay=0, speculative=true, allocator=islip`` describes.

    Raises
    ------
    TextError
        At the place that is wrong.
    """
    whole = Piece(text, where)
    options = _assigned(whole, "routing_delay=0", [field.name for field in fields(Router)], _router_option)
    return whole.read(partial(Router, **options))


@if_text
def lengths_of(text: str, where: str = "<packet-length>") -> Lengths:
    """Flits per packet from a text: a number, or lengths with their shares, such as ``1:0.5, 5:0.5``.

    Raises
    ------
    TextError
        At the place that is wrong.
    """
    whole = Piece(text, where)
    if ":" not in text:
        if not re.fullmatch(r"[+-]?[0-9]{1,18}", text.strip()):
            raise whole.error("expected a number of flits, or lengths and shares such as 1:0.5, 5:0.5")
        length = int(text.strip())
        whole.read(partial(length_shares, length))
        return length
    shares: dict[int, float] = {}
    for piece in whole.split(","):
        try:
            left, right = piece.text.split(":")
            length, share = int(left), float(right)
        except ValueError:
            raise piece.error("expected length:share, such as 5:0.5") from None
        if length in shares:
            raise piece.error(f"length {length} is given twice")
        shares[length] = share
        piece.read(partial(length_shares, {length: share}))
    return shares


@if_text
def bursts_of(text: str, where: str = "<bursts>") -> Bursts:
    """On and off terminals from the two probabilities of `Bursts`, such as ``0.01, 0.1``.

    Raises
    ------
    TextError
        At the place that is wrong.
    """
    whole, chances = Piece(text, where), []
    for piece in whole.split(","):
        try:
            chances.append(float(piece.text))
        except ValueError:
            raise piece.error("expected a probability") from None
        piece.read(partial(Bursts, chances[-1], 1.0))
    if len(chances) != 2:
        raise whole.error(
            "expected two probabilities, of a burst to begin and of one to end in a cycle, such as 0.01, 0.1"
        )
    return Bursts(*chances)


@if_text
def class_of(text: str, where: str = "<class>") -> TrafficClass:
    """A traffic class from a text such as ``share=2, traffic=hotspot(3, share=0.1), flits=1, reply=4, priority=1``.

    Raises
    ------
    TextError
        At the place that is wrong.
    """
    whole = Piece(text, where)
    options = _assigned(whole, "flits=1", (*_OF_CLASS, *_OF_MESSAGE), _class_option)
    message = {name: options.pop(name) for name in _OF_MESSAGE if name in options}
    return whole.read(lambda: TrafficClass(messages=(Message(**message),), **options))


_OF_CLASS, _OF_MESSAGE = ("share", "traffic", "priority", "name"), ("flits", "kind", "reply", "reply_kind")


def _class_option(name: str, text: str) -> Any:
    """The value of an option of a class, which makes sense whatever the others are."""
    if name == "traffic":
        chosen(parse_call(text), patterns(), "traffic")
    number = name in ("share", "priority", "flits", "reply")
    option: dict[str, Any] = {name: _setting(text) if number else text.strip("'\"")}
    (TrafficClass(**option) if name in _OF_CLASS else Message(**option))
    return option[name]


def _router_option(name: str, text: str) -> Any:
    """The value of an option of a router, which makes sense whatever the others are."""
    setting = _setting(text)
    check_option(name, setting)
    return setting


def _assigned(whole: Piece, example: str, known: Collection[str], read: Callable[[str, str], Any]) -> dict[str, Any]:
    """The value of each option in a text, as `read` makes it of its name and its text."""
    options: dict[str, Any] = {}
    for piece in whole.split(","):
        pair = piece.pair("=")
        if pair is None:
            raise piece.error(f"expected option=value, such as {example}")
        name = pair[0].text.replace("-", "_")
        pair[0].read(partial(require_known, "unknown option", name, known))
        if name in options:
            raise piece.error(f"{name} is given twice")
        options[name] = pair[1].read(partial(read, name, pair[1].text))
    return options


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
