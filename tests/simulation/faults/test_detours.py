"""Relations of what is left of a network, as the whole network numbers it."""

from __future__ import annotations

import numpy as np
import pytest

from unknot._base.errors import SimulationError
from unknot.network import Network
from unknot.network.families import mesh
from unknot.routing import Relation, fully_adaptive
from unknot.simulation.faults.detours import translated

WHOLE = mesh(3, 3)
BROKEN = WHOLE.without(channels=[0, 5])


def by_name(relation: Relation, network: Network) -> dict[tuple[str, str], set[str]]:
    """Candidates of each state that has some, all by name."""
    found = {}
    for at in range(relation.vcs.router.size):
        here = relation.vcs.name(at)
        for address in range(relation.num_addresses):
            to = network.terminal_name(int(relation.destination[address]))
            names = {"eject" if c.vc is None else relation.vcs.name(c.vc) for c in relation.candidates(at, address)}
            if names:
                found[here, to] = names
    return found


@pytest.mark.parametrize("network", [WHOLE, BROKEN], ids=["whole", "broken"])
def test_states_keep_their_names(network: Network) -> None:
    """Also where the network that is simulated was made from a larger one itself."""
    small = network.without(routers=[8]).without(channels=[2])
    relation, base = fully_adaptive(small), fully_adaptive(network)
    found = translated(relation, base)
    assert found.network is network
    assert np.array_equal(found.vcs.counts, base.vcs.counts)
    assert by_name(found, network) == by_name(relation, small)


def test_what_is_no_part_is_refused() -> None:
    for other in (mesh(2, 2), mesh(3, 3, latency=2).without(routers=[8]), mesh(4, 4).without(routers=[0])):
        with pytest.raises(SimulationError, match="neither"):
            translated(fully_adaptive(other), fully_adaptive(WHOLE))
    with pytest.raises(SimulationError, match="give the first relation as many"):
        translated(fully_adaptive(BROKEN, 2), fully_adaptive(WHOLE))
