"""Relations of what is left of a network, as the whole network numbers it."""

from __future__ import annotations

import numpy as np
import pytest

from unknot._base.errors import SimulationError
from unknot.network import Network
from unknot.network.families import mesh
from unknot.routing import Relation, fully_adaptive
from unknot.simulation.engine.pairs import Pairs, pairs_of
from unknot.simulation.faults.detours import thinned, translated
from unknot.traffic import pattern

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


@pytest.mark.parametrize("itself", [False, True])
def test_terminals_send_what_they_still_may_as_often_as_before(itself: bool) -> None:
    random = np.random.default_rng(3)
    weight = random.integers(0, 4, (9, 9)) * (1.0 - np.eye(9) * (not itself))
    relation, usable = fully_adaptive(WHOLE), random.random((9, 9)) < 0.7
    pairs = pairs_of(relation, pattern(WHOLE, weight))
    before = rates(pairs)
    assert np.allclose(before, weight / weight.sum(axis=1).max())
    after = thinned(pairs, relation.destination, relation, usable)
    assert np.allclose(rates(after), before * usable)
    alike = pairs_of(relation, pattern(WHOLE, "uniform_others"))
    expected = (1 - np.eye(9)) / 8 * usable
    assert np.allclose(rates(thinned(alike, relation.destination, relation, usable)), expected)


def rates(pairs: Pairs) -> np.ndarray:
    """What each terminal sends to each, by walking through all that its draws can come to."""
    found = np.zeros((9, 9))
    for t in range(9):
        entries = range(int(pairs.pair_first[t]), int(pairs.pair_first[t + 1]))
        for entry in entries:
            stays = pairs.keep[entry] / 2**53 if pairs.keep.size else 1.0
            for to, part in ((entry, stays), (int(pairs.other[entry]) if pairs.keep.size else entry, 1 - stays)):
                addresses = pairs.addresses[pairs.address_range[2 * to] : pairs.address_range[2 * to + 1]]
                found[t, addresses] += pairs.rate[t] * part / len(entries) / max(1, len(addresses))
    return found
