"""A run in progress: the state, the kernel called in pieces, and the knot when it ties itself."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from unknot.errors import RelationError, SimulationError
from unknot.routing.relation import Relation
from unknot.simulation.detector import knot, stuck_vcs
from unknot.simulation.layout import ADDRESS, DRAWN, FLITS_IN, FLITS_OUT, NOW, READ, WHERE, layout
from unknot.simulation.traffic import Pairs
from unknot.switching import Switching
from unknot.verify.verdict import Configuration

CHECK = 512
"""Cycles between two looks for a knot."""


class Engine:
    """A network that is being simulated.

    Attributes
    ----------
    state : State
        Columns and entries are named in `unknot.simulation.layout`.
    deadlock : Configuration or None
        Set as soon as a knot is found; the run then stands still.
    """

    def __init__(
        self,
        relation: Relation,
        switching: Switching,
        *,
        packet_length: int,
        buffer_depth: int,
        chance: float,
        seed: int,
        pairs: Pairs,
    ) -> None:
        self.relation, self.switching = relation, switching
        self.state = layout(
            relation,
            switching,
            packet_length=packet_length,
            buffer_depth=buffer_depth,
            chance=chance,
            seed=seed,
            pairs=pairs,
        )
        self.deadlock: Configuration | None = None

    @property
    def now(self) -> int:
        """The cycle to be simulated next."""
        return int(self.state.count[NOW])

    def count(self, entry: int) -> int:
        """A counter of the state, by its name in `layout`."""
        return int(self.state.count[entry])

    def lag(self) -> npt.NDArray[np.int64]:
        """How many cycles each source is behind: the age of the packet at the head of its queue, about."""
        lag: npt.NDArray[np.int64] = self.state.count[NOW] - self.state.terminals[:, DRAWN]
        return lag

    def run(self, cycles: int) -> bool:
        """Simulate so many cycles more, looking for a knot now and then; False when one was found."""
        end = self.now + cycles
        while self.now < end and self.deadlock is None:
            self.advance(min(end, self.now + CHECK - self.now % CHECK))
            if self.count(FLITS_IN) > self.count(FLITS_OUT):
                stuck = stuck_vcs(self.relation, self.state)
                if stuck.any():
                    self.deadlock = knot(self.relation, self.state, self.switching, stuck)
        return self.deadlock is None

    def advance(self, until: int) -> bool:
        """Simulate up to a cycle; True when it stopped before because nothing moves any more.

        Raises
        ------
        RelationError
            If a header has no candidate, or the rule breaks its contract.
        """
        from unknot.simulation import state_kernel as status
        from unknot.simulation.flit_kernel import advance

        while True:
            end = advance(self.relation.compiled.function, self.state, until)
            if end == status.FULL:
                old = self.state.latencies
                room = np.empty(2 * old.size, dtype=np.int64)
                room[: old.size] = old
                self.state = self.state._replace(latencies=room)
            elif end in (status.BROKEN_RULE, status.DEAD_END):
                self._explain(end == status.DEAD_END)
            else:
                return bool(end == status.QUIET)

    def _explain(self, dead_end: bool) -> None:
        from unknot.routing.relation_kernel import ask

        relation, state = self.relation, self.state
        buffer = int(state.count[WHERE])
        at = int(state.place[buffer])
        address = int(state.packets[state.ring[buffer, state.inputs[buffer, READ]], ADDRESS])
        if not dead_end:
            ask(relation, at, address)
        raise RelationError(
            f"{relation.name} on {relation.network.name}: a packet to {relation.address_name(address)} came to "
            f"{relation.vcs.name(at)} and has no candidate there; `unknot check` lists what is not delivered"
        )


def check_point(packet_length: int, switching: Switching, buffer_depth: int, seed: int) -> None:
    """Refuse numbers that no run can have."""
    for name, value, least, most in (
        ("packet_length", packet_length, 1, 1 << 20),
        ("buffer_depth", buffer_depth, 1, 1 << 20),
        ("seed", seed, 0, 2**64 - 1),
    ):
        whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        if not whole or not least <= value <= most:
            raise SimulationError(f"{name} must be a whole number from {least} to {most}, got {value!r}")
    if switching in ("saf", "vct") and packet_length > buffer_depth:
        raise SimulationError(
            f"a packet of {packet_length} flits does not fit a buffer of {buffer_depth}; {switching} needs "
            "buffer_depth of at least packet_length"
        )
