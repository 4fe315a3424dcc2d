"""What decides whether a port loses packets after it pauses: speed, cable, frames, headroom and watchdog."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

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
    """

    speed: int | None = None
    mtu: int = MTU
    lossless_mtu: int = MTU
    cable: int | None = None
    headroom: Mapping[int, int] = field(default_factory=dict)
    detection: int | None = None


@dataclass(frozen=True)
class SwitchBuffers:
    """Buffers of a switch: those of its ports, bytes of its largest pool, and how often the watchdog looks, in ms."""

    ports: Mapping[str, PortBuffers] = field(default_factory=dict)
    pool: int | None = None
    poll: int | None = None


def buffers_of(rows: Callable[[str], Rows]) -> SwitchBuffers:
    """Return the buffers of a switch by the tables of `config_db.json`; what is no number is not known.

    Parameters
    ----------
    rows : callable
        The rows of a table by its name.
    """
    lengths = {port: text for row in rows("CABLE_LENGTH").values() for port, text in row.items()}
    patterns = [number(row.get("mtu")) for row in rows("LOSSLESS_TRAFFIC_PATTERN").values()]
    watchdogs, headroom = rows("PFC_WD"), _headroom(rows)
    ports = {}
    for name, row in rows("PORT").items():
        mtu = number(row.get("mtu")) or MTU
        length = number(str(lengths.get(name)).rstrip("m"))
        ports[name] = PortBuffers(
            number(row.get("speed")), mtu, next(filter(None, patterns), mtu), length,
            headroom.get(name, {}), number(watchdogs.get(name, {}).get("detection_time")),
        )  # fmt: skip
    pools = [number(row.get("size")) or 0 for row in rows("BUFFER_POOL").values() if row.get("type") == "ingress"]
    poll = number(watchdogs.get("GLOBAL", {}).get("POLL_INTERVAL"))
    return SwitchBuffers(ports, max(pools, default=0) or None, poll)


def number(text: object) -> int | None:
    """A whole number, as JSON has it or in a text of at most twelve digits; None if there is another thing."""
    if isinstance(text, int) and not isinstance(text, bool):
        return max(0, text)
    return int(text) if isinstance(text, str) and re.fullmatch("[0-9]{1,12}", text) else None


def _headroom(rows: Callable[[str], Rows]) -> dict[str, dict[int, int]]:
    """Bytes after the pause by port and priority group."""
    profiles, headroom = rows("BUFFER_PROFILE"), dict[str, dict[int, int]]()
    for key, row in rows("BUFFER_PG").items():
        ports, _, span = key.partition("|")
        low, _, high = span.partition("-")
        xoff = number(profiles.get(str(row.get("profile")).strip("[]").split("|")[-1], {}).get("xoff"))
        if xoff:
            for port in ports.split(","):
                groups = range(int(low), int(high or low) + 1)
                headroom.setdefault(port, {}).update(dict.fromkeys(groups, xoff))
    return headroom
