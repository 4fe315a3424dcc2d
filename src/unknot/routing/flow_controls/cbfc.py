"""Credit-based flow control of Ethernet links: credits of each virtual channel, counted in cells."""

from __future__ import annotations

from dataclasses import replace

from unknot._base.errors import RelationError
from unknot._base.numbers import require_whole
from unknot.flow_control.model import FlowControl
from unknot.flow_control.techniques import technique
from unknot.routing.relation import Relation

CELL = 4
"""Flits of a cell unless another number is given."""


def cbfc(relation: Relation, *, cell: int = CELL) -> FlowControl:
    """Return flow control by credits for whole cells, as CBFC of Ultra Ethernet counts them.

    A packet goes to a virtual channel (VC) when the sender has credits for all its cells, the last one rounded up;
    each VC has credits of its own. All else is virtual cut-through. An empty buffer has room for any packet, so a
    routing is free of deadlock exactly where virtual cut-through is.

    Parameters
    ----------
    relation : Relation
        The routing.
    cell : int
        Flits of a credit.

    Returns
    -------
    FlowControl
        Virtual cut-through with credits in cells.

    Raises
    ------
    RelationError
        If it is not a positive number.

    Notes
    -----
    A run differs from the links of the specification. A credit returns flit by flit, and the rest of the last cell
    after the tail; a link returns all credits of a packet together. A credit travels at once, with the latency of the
    channel; a link sends credit updates at intervals, may lose updates, and resynchronises counters. In a run no
    receiver adds or subtracts bytes for a packet, VCs share no credits of a port, and terminals count flits.

    References
    ----------
    Ultra Ethernet Specification v1.0.2, section 5.2. Open Compute Project, Switch Abstraction Interface: Credit-Based
    Flow Control (pull request 2263).

    Examples
    --------
    >>> import unknot
    >>> relation = unknot.routing.dimension_order(unknot.network.families.ring(4), vcs=2)
    >>> run = unknot.simulation.simulate(relation, 0.1, flow=cbfc(relation, cell=3), packet_length=4, measure=500)
    >>> run.stable, run.flow.name
    (True, 'cbfc(cell=3)')
    """
    require_whole("cell", cell, 1, unit="flits", error=RelationError)
    return replace(technique("vct"), name=f"cbfc(cell={cell})", cell=cell)
