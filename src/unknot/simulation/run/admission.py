"""Refusal of flow controls in buffers that are too small for their packets."""

from __future__ import annotations

from unknot._base.errors import SimulationError
from unknot.flow_control.model import FlowControl


def require_fit(flow: FlowControl, buffer_depth: int, longest: int) -> None:
    """Refuse buffers with room for fewer packets than a flow control counts on.

    Raises
    ------
    SimulationError
    """
    cells = -(-longest // flow.cell)
    flits = cells * flow.cell
    fitting = buffer_depth // flits
    if flow.cell > 1 and not fitting:
        raise SimulationError(
            f"{flow.name}: a packet of {longest} flits takes {cells} cells of {flow.cell}, and a buffer of "
            f"{buffer_depth} has {buffer_depth // flow.cell}; give a buffer_depth of at least {flits}"
        )
    if flow.pools and flow.packets > fitting:
        raise SimulationError(
            f"{flow.name}: buffers of {buffer_depth} flits have room for {fitting} packets of {flits}, not for "
            f"{flow.packets}; give a buffer_depth of {flow.packets * flits}"
        )
