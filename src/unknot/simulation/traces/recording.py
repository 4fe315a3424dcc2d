"""Recordings of a replay, cycle by cycle, for pages that step through them."""

from __future__ import annotations

from dataclasses import dataclass

from unknot._base.shown import Brief
from unknot.certificates.verdict import Configuration
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation
from unknot.simulation.engine.engine import Engine
from unknot.simulation.engine.state_arrays import State
from unknot.simulation.traces.replay import Replay, replay


@dataclass(frozen=True)
class Frame:
    """Where the flits of the messages are at the end of a cycle.

    Attributes
    ----------
    cycle : int
        Cycles since the network was empty.
    flits : dict of (int, int) to int
        Flits of a message, by its position in the configuration, in the buffer of a VC. Of messages that share a
        buffer the one in front comes first.
    """

    cycle: int
    flits: dict[tuple[int, int], int]


@dataclass(frozen=True, repr=False)
class Recording(Brief):
    """A replay, and each cycle of it in which a buffer changed.

    Attributes
    ----------
    replay : Replay
    frames : tuple of Frame
        Of a configuration whose messages are placed, the placement alone.

    Examples
    --------
    >>> from unknot.verify import check
    >>> configuration = check("ring(4)", routing="dimension_order").configuration
    >>> recording = record("ring(4)", configuration, routing="dimension_order", cycles=100)
    >>> recording.frames[0].flits, sorted(recording.frames[-1].flits.items())
    ({}, [((0, 0), 8), ((1, 2), 8), ((2, 4), 8), ((3, 6), 8)])
    """

    replay: Replay
    frames: tuple[Frame, ...]


@takes_relation
def record(relation: Relation, configuration: Configuration, *, cycles: int = 1000) -> Recording:
    """Replay a configuration, and keep what every buffer holds after each cycle.

    Parameters
    ----------
    cycles : int
        As of `replay`.

    Raises
    ------
    RelationError, SimulationError
        As of `replay`.

    Notes
    -----
    O(cycles until all stand still × flits) time; memory O(frames × flits).
    """
    frames: list[Frame] = []

    def watch(engine: Engine) -> None:
        flits = _flits(engine.state, configuration)
        if not frames or frames[-1].flits != flits:
            frames.append(Frame(engine.now, flits))

    return Recording(replay(relation, configuration, cycles=cycles, watch=watch), tuple(frames))


def _flits(state: State, configuration: Configuration) -> dict[tuple[int, int], int]:
    """Flits of each message in each VC of its path, as the buffers have them."""
    flits: dict[tuple[int, int], int] = {}
    for vc in sorted({vc for message in configuration.messages for vc in (*message.lead, *message.held)}):
        row, room = int(state.in_row[vc]), int(state.setup.ring)
        place, stored, sent = (int(state.inputs[name][row]) for name in ("front", "stored", "sent"))
        while stored:
            # The ring has a place for each packet; of the one in front some flits have left already.
            packet = int(state.ring[row * room + place])
            here = min(stored, configuration.messages[packet].length - sent)
            flits[packet, vc] = here
            place, stored, sent = (place + 1) % room, stored - here, 0
    return flits
