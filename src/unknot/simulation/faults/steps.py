"""Effects of the faults of a run: dead VCs, gone terminals, and relation and traffic from then on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from unknot._base.arrays import Flags
from unknot._base.errors import SimulationError, UnknotError
from unknot.routing.named import routing_named
from unknot.routing.relation import Relation
from unknot.simulation.engine.pairs import Pairs
from unknot.simulation.faults.detours import surviving, thinned, translated, usable_addresses
from unknot.simulation.faults.fault import Fault


@dataclass(frozen=True, eq=False)
class FaultStep:
    """Effect of a fault.

    Attributes
    ----------
    fault : Fault
    dead : bool array, shape (buffers,)
        Buffers that are dead from then on.
    gone : bool array, shape (terminals,)
        Terminals that neither send nor receive.
    relation : Relation
        From then on, without candidates that are dead.
    pairs : Pairs
        From then on; those before where traffic stays as it is.
    """

    fault: Fault
    dead: Flags
    gone: Flags
    relation: Relation
    pairs: Pairs


def steps(relation: Relation, faults: Iterable[Fault], pairs: Pairs) -> list[FaultStep]:
    """Return the effect of each of some faults in the order of their cycles.

    Raises
    ------
    NetworkError
        If there is no such channel or router.
    SimulationError
        If a relation cannot take the place of another, or a routing be made on what is left.
    """
    network, current = relation.network, relation
    routers, channels = np.zeros(network.num_routers, dtype=bool), np.zeros(network.num_channels, dtype=bool)
    may, traffic, addressed = usable_addresses(relation, np.zeros(network.num_terminals, dtype=bool)), pairs, relation
    effects = []
    for fault in faults:
        for router in fault.routers:
            routers[network.router(router)] = True
        for channel in fault.channels:
            channels[network.channels_named(channel)] = True
        channels |= routers[network.source] | routers[network.target]
        gone = routers[network.inject] | routers[network.eject]
        if fault.relation is not None:
            try:
                made = _made(fault.relation, relation, routers, channels)
                current = translated(made, relation)
            except UnknotError as error:
                raise SimulationError(f"fault {fault}: {error}") from error
        injection = np.repeat(routers[network.inject], relation.vcs.widest)
        dead = np.append(channels[relation.vcs.channel], injection)
        after = surviving(current, dead, gone)
        usable = usable_addresses(after, gone)
        if not np.array_equal(after.destination, addressed.destination) or not np.array_equal(usable, may):
            may, traffic, addressed = usable, thinned(pairs, relation.destination, after, usable), after
        effects.append(FaultStep(fault, dead, gone, after, traffic))
    return effects


def _made(replacement: Relation | str, base: Relation, routers: Flags, channels: Flags) -> Relation:
    """A relation as given, or made by a routing on the rest of a network, with as many VCs if possible."""
    if isinstance(replacement, Relation):
        return replacement
    left = base.network.without(np.flatnonzero(routers).tolist(), np.flatnonzero(channels).tolist())
    named = routing_named(replacement, "fault")
    takes = "vcs" in named.parameters and "vcs" not in named.call.options
    return named.on(left, int(base.vcs.counts.min()) if takes else None)
