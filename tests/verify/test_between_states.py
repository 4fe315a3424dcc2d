"""States between two converged ones: mixtures of tables by brute force, and orders of messages."""

from __future__ import annotations

from itertools import chain, combinations
from random import Random

import networkx as nx
import pytest
from typer.testing import CliRunner

from unknot._base.errors import RelationError
from unknot.cli.program import app
from unknot.network import Network
from unknot.network.families import ring, xgft
from unknot.routing.ethernet import PathVector, bgp_vector, shortest_paths_vector
from unknot.routing.forwarding_table import NextHops
from unknot.verify import fault_sweep
from unknot.verify.between_states import _Speakers, announceable, between_announcements, between_tables
from unknot.verify.failures import Failures

SMALL = xgft([1, 3], [1, 2])
PODS = xgft([1, 2, 2], [1, 2, 2])


def static_circle(network: Network, hops: NextHops, other: NextHops, updated: frozenset[int]) -> bool:
    """Whether tables stand still in a cycle of channels if some routers follow the other ones."""
    turns = nx.DiGraph()
    for number, home in enumerate(hops.homes.tolist()):
        rows = [(other if r in updated else hops).row(number, r) for r in range(network.num_routers)]
        order = [r for r in hops.homes.tolist() if r != home]
        for router in order:
            for c in rows[router]:
                to = int(network.target[c])
                turns.add_edges_from((c, e) for e in (rows[to] if to != home else ()))
                order += [to] if to not in order and to != home else []
    return not nx.is_directed_acyclic_graph(turns)


@pytest.mark.parametrize("network", [SMALL, xgft([1, 2], [1, 3]), ring(4)], ids=lambda network: network.name)
def test_tables_that_change_can_deadlock_where_some_set_of_updated_routers_does(network: Network) -> None:
    vector = shortest_paths_vector(network)
    verdicts = set()
    for link in sorted(
        {(min(e), max(e)) for e in zip(network.source.tolist(), network.target.tolist(), strict=True)}
    ):
        after = shortest_paths_vector(network.without(links=[link]))
        old, new = vector.next_hops().left(after.network), after.next_hops()
        routers = range(network.num_routers)
        sets = chain.from_iterable(combinations(routers, size) for size in range(len(routers) + 1))
        expected = any(static_circle(after.network, old, new, frozenset(updated)) for updated in sets)
        answer = between_tables(vector, after, 30.0)
        assert answer.free is not None
        # Packets that were sent by old tables may stand in the way too, so that more can deadlock than stands still.
        assert answer.free is False or not expected
        verdicts.add(answer.free)
    assert False in verdicts


@pytest.mark.parametrize(
    ("plan", "allowas_in", "oldest"), [("switch", 0, False), ("rfc7938", 0, True), ("rfc7938", 1, False)]
)
@pytest.mark.parametrize("network", [SMALL, PODS], ids=lambda network: network.name)
def test_replayed_orders_stay_within_what_neighbours_may_announce(
    network: Network, plan: str, allowas_in: int, oldest: bool, seed: int
) -> None:
    vector = bgp_vector(network, plan=plan, allowas_in=allowas_in, oldest=oldest)
    left = network.without(links=[(0, int(network.target[network.outgoing[1][0]]))])
    after = bgp_vector(left, plan=vector.systems.tolist(), allowas_in=allowas_in, oldest=oldest)
    speakers = _Speakers(vector, Random(seed))
    for _ in speakers.converge():
        pass
    assert after.oldest or settled(speakers, vector)
    speakers.lose(left)
    may, name = announceable(vector).left(left), left.origin
    assert name is not None
    here = {channel: number for number, channel in enumerate(name.channels.tolist())}
    for _ in speakers.converge():
        for number, home in enumerate(may.homes.tolist()):
            for router in range(network.num_routers):
                assert {here[c] for c in speakers.next_hops(router, home)} <= {*may.row(number, router)}
    assert after.oldest or settled(speakers, after)


def settled(speakers: _Speakers, vector: PathVector) -> bool:
    """Whether speakers have come to the computed routes."""
    hops, origin = vector.next_hops(), vector.network.origin
    name = range(vector.network.num_channels) if origin is None else origin.channels.tolist()
    return all(
        {*speakers.next_hops(router, home)} == {name[c] for c in hops.row(number, router)}
        for number, home in enumerate(hops.homes.tolist())
        for router in range(vector.network.num_routers)
        if router != home
    )


def test_one_as_for_the_spines_keeps_all_states_between_free() -> None:
    sweep = fault_sweep(PODS, "bgp(plan='rfc7938')", between=True)
    assert sweep.counts == {"holds": 16}
    assert all("whatever next hops" in fault.why for fault in sweep.tried)


def test_an_as_for_each_switch_passes_through_circles() -> None:
    vector = bgp_vector(SMALL)
    after = bgp_vector(SMALL.without(links=[(0, 4)]), plan=vector.systems.tolist())
    answer = between_announcements(vector, after, 1, 10.0)
    assert answer.free is False
    assert "in a replayed order buffers wait in a cycle after" in answer.established


def test_routers_that_fail_are_struck_from_old_tables() -> None:
    sweep = fault_sweep(PODS, "ospf", between=True, failures=Failures(kind="routers"))
    assert {"between", "holds"} == {fault.outcome for fault in sweep.tried}


def test_only_routings_of_ethernet_have_states_between() -> None:
    with pytest.raises(RelationError, match="of bgp and ospf"):
        fault_sweep(SMALL, "up_down", between=True)
    done = CliRunner().invoke(app, ["faults", "xgft([1, 3], [1, 2])", "--routing", "ospf", "--between"])
    assert done.exit_code == 1
    assert "between" in done.output
