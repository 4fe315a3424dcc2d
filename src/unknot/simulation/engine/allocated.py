"""Flits and headers that each link was given so far, by traffic class, from what its VCs were allocated to."""

from __future__ import annotations

import numpy as np

from unknot._base.arrays import Ints
from unknot.routing.relation import Relation
from unknot.simulation.engine.state_arrays import State


def link_rows(relation: Relation, part: State) -> Ints:
    """First row of `outputs` of the port of each link: of channels, from terminals, to terminals."""
    first = relation.vcs.first[:-1]
    into = relation.num_vcs + int(part.setup.local) * np.arange(relation.network.num_terminals)
    rows: Ints = part.outputs.port[np.concatenate([part.out_row[first], part.out_row[into], part.ejection_row])]
    return rows


def allocated(parts: list[State], rows: Ints) -> tuple[Ints, Ints]:
    """Flits sent into each link so far, and headers that were allocated a VC of it: (classes, links) each.

    Of a packet that was allocated a VC all flits are counted; those that it did not send yet are taken off again.
    Without classes flits are those that ports carried; where all packets are alike, these say how many headers
    there were.
    """
    part = parts[0]
    ports = len(part.out_ports)
    headers, flits = (np.sum([each.allocated[column] for each in parts], axis=0) for column in ("packets", "flits"))
    granted = _granted(part)
    if not part.setup.classes:
        port, _, left = granted
        given = part.out_ports.carried + np.bincount(port, left, ports).astype(np.int64)
        flits += given
        if not part.differ:
            headers += given // part.lengths.flits[0]
    for port, packets, left in (granted, _injecting(part)):
        kind = part.forms.of[part.courses.form[packets]] if part.setup.classes else 0
        np.subtract.at(flits, kind * ports + port, left)
    return flits.reshape(-1, ports)[:, rows], headers.reshape(-1, ports)[:, rows]


def _granted(part: State) -> tuple[Ints, Ints, Ints]:
    """Port, packet and flits still to be sent of each output VC that is owned."""
    owned = np.flatnonzero(part.outputs.owner >= 0)
    at = part.outputs.owner[owned]
    packets = part.ring[at * int(part.setup.ring) + part.inputs.front[at]]
    return part.outputs.port[owned], packets, part.inputs.length[at] - part.inputs.sent[at]


def _injecting(part: State) -> tuple[Ints, Ints, Ints]:
    """The same of each terminal that is sending a packet."""
    rows = np.flatnonzero((part.terminals.vc >= 0) & (part.terminals.packet >= 0))
    terminals = part.terminals[rows]
    return part.outputs.port[terminals.vc], terminals.packet, terminals.left
