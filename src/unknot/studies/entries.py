"""Entries of a study file: what their texts and tables mean, and what is wrong with them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationInfo

from unknot._base.calls import chosen, parse_call
from unknot._base.errors import SimulationError, UnknotError
from unknot._base.switching import SWITCHINGS
from unknot._base.toml_places import EntryError
from unknot.fabrics.named import network as network_named
from unknot.routing.flow_controls.named import builders, is_technique
from unknot.routing.named import require_connected, routing_named
from unknot.routing.own import is_code, is_file, rooted
from unknot.simulation.energy.option import Energy, energy_of
from unknot.simulation.engine.router import Router, check_option
from unknot.traffic import patterns
from unknot.traffic.workload import Bursts, length_shares

VALUE = "<value>"
"""Place that errors name in a text of the study; their column is then moved to the place in the file."""


def known_network(text: str, validation: ValidationInfo) -> str:
    """Build the network once, for its errors."""
    context = validation.context or {}
    known = context.get("known", set())
    if text not in known:
        network = network_named(
            text, folder=context.get("folder", "."), where=VALUE, confined=context.get("confined", False)
        )
        require_connected(network)
        known.add(text)
    return text


def known_routing(text: str, validation: ValidationInfo) -> str:
    """Refuse a routing that does not exist, a file of routes elsewhere, or code that may not run."""
    context = validation.context or {}
    if is_file(text):
        rooted(text, context.get("folder", "."), confined=context.get("confined", False))
        return text
    if not _is_allowed_code(text, context):
        routing_named(text, VALUE)
    return text


def known_switching(text: str, validation: ValidationInfo) -> str:
    """Refuse unknown flow controls, files of rings, and code that may not run."""
    if is_technique(text) or _is_allowed_code(text, validation.context or {}):
        return text
    call = parse_call(text, VALUE)
    chosen(call, builders(), "flow control", SWITCHINGS)
    if "rings" in call.options:
        raise UnknotError(f"{text!r} reads a file of rings, which a study does not; leave rings out")
    return text


def _is_allowed_code(text: str, context: Mapping[str, Any]) -> bool:
    """Whether a text names a function in a Python file; refused where none may be run."""
    if is_code(text) and not context.get("code", True):
        raise UnknotError(
            f"{text!r} runs a Python file, which a study may do only with --allow-code; look at it first"
        )
    return is_code(text)


def known_traffic(text: str) -> str:
    """Refuse traffic that does not exist."""
    chosen(parse_call(text, VALUE), patterns(), "traffic")
    return text


def energy(entry: Any, validation: ValidationInfo) -> Energy | None:
    """A technology and a design, with its file in the folder of the study."""
    context = validation.context or {}
    return energy_of(entry, VALUE, folder=context.get("folder", "."), confined=context.get("confined", False))


def router(entry: Any) -> Router:
    """A table of options as a router."""
    if isinstance(entry, Router):
        return entry
    if not isinstance(entry, dict):
        raise UnknotError(f"router is a table such as {{ routing_delay = 0, speculative = true }}, got {entry!r}")
    for key, option in entry.items():
        try:
            check_option(key, option)
        except SimulationError as error:
            raise EntryError(str(error), (key,), at_key=True) from None
    return Router(**entry)


def bursts(entry: Any) -> Bursts | None:
    """A table with the two probabilities of bursts."""
    if entry is None or isinstance(entry, Bursts):
        return entry
    if not isinstance(entry, dict) or set(entry) != {"begin", "end"}:
        raise UnknotError(f"bursts is a table such as {{ begin = 0.01, end = 0.1 }}, got {entry!r}")
    return Bursts(**entry)


SHARES = {
    "type": "object",
    "propertyNames": {"pattern": "^[0-9]{1,9}$"},
    "additionalProperties": {"type": "number", "exclusiveMinimum": 0},
    "minProperties": 1,
}
"""JSON Schema of shares of packet lengths."""


def lengths(entry: Any) -> Any:
    """Shares of packet lengths, whose keys are texts in a study file, or a number as it is."""
    if not isinstance(entry, dict):
        return entry
    shares = {}
    for key, share in entry.items():
        if not re.fullmatch(r"[0-9]{1,9}", str(key)):
            words = f"packet_length: {key!r} is no number of flits; write {{ 1 = 0.5, 5 = 0.5 }}"
            raise EntryError(words, (str(key),), at_key=True)
        try:
            length_shares({int(key): share})
        except SimulationError as error:
            raise EntryError(str(error), (str(key),), at_key=True) from None
        shares[int(key)] = float(share)
    length_shares(shares)
    return shares


def number_or_shares(entry: Any) -> str:
    """Return which form of `packet_length` a value has."""
    return "shares" if isinstance(entry, dict) else "number"


MOST_DESIGNS = 10_000
MOST_POINTS = 200_000
MOST_LOADS = 10_000


def points_of(designs: int, simulation: Any) -> int:
    """Return the number of points of a study, of a table ``[simulation]`` that nobody has checked yet."""
    if not isinstance(simulation, Mapping):
        return designs
    return designs * (1 + _loads(simulation.get("loads")) * _length(simulation.get("seeds")))


def require_few(designs: int, points: int) -> None:
    """Refuse a study that is too large to be run.

    Raises
    ------
    UnknotError
        Names both numbers and their limits.
    """
    if designs > MOST_DESIGNS or points > MOST_POINTS:
        raise UnknotError(
            f"this study has {_about(designs)} designs and, with loads and seeds, {_about(points)} points; it may "
            f"have {MOST_DESIGNS:,} designs and {MOST_POINTS:,} points: take shorter lists, or several studies"
        )


def _loads(entry: Any) -> int:
    if not isinstance(entry, Mapping):
        return 20 if entry is None else _length(entry)
    try:
        steps = (entry["to"] - entry["from"]) / entry["step"]
    except (KeyError, TypeError, ZeroDivisionError, OverflowError):
        return 1
    return min(math.floor(steps), MOST_LOADS) + 1 if 0 <= steps < math.inf else 1


def _length(entry: Any) -> int:
    return max(1, len(entry)) if isinstance(entry, list) else 1


def _about(number: int) -> str:
    return f"{number:,}" if number < 10**15 else f"more than 10^{len(str(number)) - 1}"
