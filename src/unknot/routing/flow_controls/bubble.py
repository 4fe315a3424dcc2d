"""Bubble flow control as a builder."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from unknot.flow_control.model import FlowControl
from unknot.routing.bubble import PACKETS
from unknot.routing.bubble import bubble as rings_of
from unknot.routing.relation import Relation


def bubble(
    relation: Relation,
    rule: str,
    *,
    packets: int = PACKETS,
    rings: str | Path | Iterable[Iterable[int]] | None = None,
) -> FlowControl:
    """Return bubble flow control of a relation.

    Parameters
    ----------
    rule : {"localised", "global", "critical"}
    packets : int
        Packets of the greatest length for which each VC has room.
    rings : path, or iterable of VCs, optional
        As docs/flow-control.md describes them.
    """
    return rings_of(relation, rule, packets=packets, rings=rings).flow
