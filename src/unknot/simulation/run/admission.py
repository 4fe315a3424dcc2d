"""Refusal of flow controls beside another technique, and in buffers that are too small for their packets."""

from __future__ import annotations

from unknot._base.errors import SimulationError
from unknot._base.switching import DEFAULT_SWITCHING
from unknot.flow_control.model import FlowControl
from unknot.flow_control.techniques import technique_of


def require_fit(flow: FlowControl, switching: str, buffer_depth: int, longest: int) -> None:
    """Refuse another technique beside a flow control, and buffers with room for fewer packets than it counts on.

    Raises
    ------
    SimulationError
    """
    technique = technique_of(flow)
    if switching not in (DEFAULT_SWITCHING, technique):
        raise SimulationError(
            f"{flow.name}: packets hold buffers as under {technique}, so it goes with {technique}, not with "
            f"{switching}"
        )
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
