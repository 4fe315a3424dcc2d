"""What decides whether a port loses packets after it pauses: speed, cable, frames, headroom and watchdog."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from unknot.fabrics.ethernet.unread import Rows

MTU = 9100
"""Bytes of the largest frame where the file does not tell: SONiC's default."""


@dataclass(frozen=True)
class PortBuffers:
    """Buffers and timers of a port.

    Attributes
    ----------
    speed : int or None
        In Mb/s.
    mtu, lossless_mtu : int
        Bytes of the largest frame of any class, and of a lossless one.
    cable : int or None
        Length in metres.
    headroom : mapping
        Bytes after the pause for each priority group whose profile tells ``xoff``.
    detection : int or None
        Milliseconds of a pause after which the watchdog acts; None without a watchdog.
    queues : mapping
        Buffer profile of each queue.
    limited : frozenset of str
        Profiles whose threshold is below the whole pool: a queue that reaches the threshold drops packets.
    """

    speed: int | None = None
    mtu: int = MTU
    lossless_mtu: int = MTU
    cable: int | None = None
    headroom: Mapping[int, int] = field(default_factory=dict)
    detection: int | None = None
    queues: Mapping[int, str] = field(default_factory=dict)
    limited: frozenset[str] = frozenset()


@dataclass(frozen=True)
class SwitchBuffers:
    """Buffers of a switch: those of its ports, bytes of its largest pool, and how often the watchdog looks, in ms."""

    ports: Mapping[str, PortBuffers] = field(default_factory=dict)
    pool: int | None = None
    poll: int | None = None


class Span(NamedTuple):
    """A row of a table of buffers: ports, numbers of their groups or queues, and a profile, ``NULL`` for none."""

    ports: list[str]
    numbers: range
    profile: str


def buffers_of(rows: Callable[[str], Rows], spans: Callable[[str], Iterable[Span]]) -> SwitchBuffers:
    """Return the buffers of a switch by the tables of `config_db.json`; what is no number is not known.

    Parameters
    ----------
    rows : callable
        The rows of a table by its name.
    spans : callable
        Those of a table of buffers, understood.
    """
    lengths = {port: text for row in rows("CABLE_LENGTH").values() for port, text in row.items()}
    patterns = [number(row.get("mtu")) for row in rows("LOSSLESS_TRAFFIC_PATTERN").values()]
    watchdogs, ports = rows("PFC_WD"), {}
    profiles = rows("BUFFER_PROFILE")
    xoff = {name: size for name, row in profiles.items() if (size := number(row.get("xoff")))}
    headroom = _by_port(span for span in spans("BUFFER_PG") if span.profile in xoff)
    queues = _by_port(spans("BUFFER_QUEUE"))
    limited = frozenset(name for name, row in profiles.items() if _is_limited(row, rows("BUFFER_POOL")))
    for name, row in rows("PORT").items():
        mtu = number(row.get("mtu")) or MTU
        length = number(str(lengths.get(name)).rstrip("m"))
        ports[name] = PortBuffers(
            number(row.get("speed")), mtu, next(filter(None, patterns), mtu), length,
            {group: xoff[profile] for group, profile in headroom.get(name, {}).items()},
            number(watchdogs.get(name, {}).get("detection_time")), queues.get(name, {}), limited,
        )  # fmt: skip
    pools = [number(row.get("size")) or 0 for row in rows("BUFFER_POOL").values() if row.get("type") == "ingress"]
    poll = number(watchdogs.get("GLOBAL", {}).get("POLL_INTERVAL"))
    return SwitchBuffers(ports, max(pools, default=0) or None, poll)


def number(text: object) -> int | None:
    """A whole number, as JSON has it or in a text of at most twelve digits; None if there is another thing."""
    if isinstance(text, int) and not isinstance(text, bool):
        return max(0, text)
    return int(text) if isinstance(text, str) and re.fullmatch("[0-9]{1,12}", text) else None


def _by_port(spans: Iterable[Span]) -> dict[str, dict[int, str]]:
    """Profiles by port and number of the group or queue."""
    found: dict[str, dict[int, str]] = {}
    for span in spans:
        for port in span.ports:
            found.setdefault(port, {}).update(dict.fromkeys(span.numbers, span.profile))
    return found


UNLIMITED = 7
"""Exponent of two from which a dynamic threshold, a multiple of the free pool, is above whatever can be used."""


def _is_limited(profile: Mapping[str, Any], pools: Rows) -> bool:
    """Whether the threshold of a profile is told and below its pool."""
    if "dynamic_th" in profile:
        return str(profile["dynamic_th"]).startswith("-") or (number(profile["dynamic_th"]) or 0) < UNLIMITED
    size = number(pools.get(str(profile.get("pool")).strip("[]").split("|")[-1], {}).get("size"))
    most = number(profile.get("static_th"))
    return size is not None and most is not None and most < size
