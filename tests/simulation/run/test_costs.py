"""The cost model of Bermond & Syska, the formula of the empty network, and packets alone in the simulator."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.simulation.queues import alone, along, two_routers
from unknot._base.errors import SimulationError
from unknot._base.switching import SWITCHINGS, Switching
from unknot.cli.program import app
from unknot.network import Network
from unknot.network.families import hypercube, mesh, torus
from unknot.routing import Relation, dimension_order, duato, ugal, valiant
from unknot.simulation import TracedMessage, run_trace, simulate
from unknot.simulation.engine.router import Router
from unknot.simulation.run.costs import Cost, costs, model_time

LENGTHS = (1, 2, 7, 32)


def one_by_one(relation: Relation, flits: int, switching: Switching) -> np.ndarray:
    """Latency of one packet from every terminal to every terminal, each when the one before is long gone."""
    n = relation.network.num_terminals
    trace = [TracedMessage(1000 * k, k // n, k % n, flits) for k in range(n * n)]
    run = run_trace(relation, trace, switching=switching, buffer_depth=64)
    assert not run.reason
    return run.latency


def of(switching: Switching, found: tuple[Cost, ...]) -> Cost:
    return next(cost for cost in found if cost.switching == switching)


@pytest.mark.parametrize("switching", SWITCHINGS)
@pytest.mark.parametrize("latency", [1, 4])
def test_the_mean_over_all_pairs(switching: Switching, latency: int) -> None:
    for network, vcs in ((mesh(3, 2, latency=latency), 1), (torus(3, 3, latency=latency), 2)):
        relation = dimension_order(network, vcs)
        for flits in LENGTHS:
            cost = of(switching, costs(relation, packet_length=flits))
            assert cost.simulated == pytest.approx(one_by_one(relation, flits, switching).mean())
            assert (cost.flits, cost.beta, cost.tau) == (flits, pytest.approx(4 + latency), 1)


@pytest.mark.parametrize("switching", SWITCHINGS)
def test_under_light_load_a_run_has_the_latency_of_the_formula(switching: Switching) -> None:
    """A packet in ten thousand cycles: one in a hundred meets another one at most."""
    for latency, flits in ((1, 1), (1, 16), (7, 5)):
        relation = along(4, latency)
        run = simulate(
            relation, 1e-4 * flits, packet_length=flits, switching=switching, buffer_depth=32, warmup=0,
            measure=400_000, traffic=[3, -1, -1, -1],
        )  # fmt: skip
        cost = of(switching, costs(relation, packet_length=flits, traffic=[3, -1, -1, -1]))
        assert cost.simulated == run.latency_p50 == alone(switching, flits, 4, latency)
        assert run.latency_mean == pytest.approx(cost.simulated, rel=0.01)
        assert cost.hops == 3


@pytest.mark.parametrize("hops", [1, 2, 5])
@pytest.mark.parametrize("latency", [1, 6])
def test_where_model_and_simulator_differ(hops: int, latency: int) -> None:
    """By the ends of the way, and under saf by about a hop more and 2 cycles a hop less, as the module says."""
    for flits in LENGTHS:
        for cost in costs(along(hops + 1, latency), packet_length=flits, traffic=[hops, *[-1] * hops]):
            beta = 4 + latency
            assert cost.beta == beta
            if cost.switching == "saf":
                assert cost.model == hops * (beta + flits)
                more = 2 * flits + 4 - 2 * hops if flits > 1 else 7 - hops
            else:
                assert cost.model == hops * beta + flits
                more = 6
            assert cost.simulated - cost.model == more


def test_constants_of_other_routers() -> None:
    fast = Router(routing_delay=0, speculative=True)
    slow = Router(routing_delay=3, vc_allocation_delay=2, switch_allocation_delay=2, traversal_delay=4)
    assert [router.header_cycles for router in (Router(), fast, slow)] == [4, 2, 11]
    relation = dimension_order(mesh(3, 3), 2)
    for router in (fast, slow):
        for cost in costs(relation, packet_length=4, router=router):
            assert (cost.beta, cost.tau) == (pytest.approx(router.header_cycles + 1), router.switch_allocation_delay)
        run = simulate(
            relation, 0.001, packet_length=4, router=router, warmup=0, measure=200_000, switching="wormhole"
        )
        found = of("wormhole", costs(relation, packet_length=4, router=router))
        assert run.latency_mean == pytest.approx(found.simulated, rel=0.02)


def test_channels_of_different_latency_give_a_mean_start_up_time() -> None:
    network = Network("path", 3, [0, 1], [1, 2], [10, 2], inject=[0, 1, 2], eject=[0, 1, 2])

    def rule(at: int, address: int, out: np.ndarray) -> int:
        here = at - 2 if at >= 2 else at + 1
        out[0] = (1 << 40) - 1 if here == address else here
        return 1 if here <= address else 0

    found = costs(Relation(network, 1, rule), packet_length=3, traffic=[2, -1, -1])
    assert found[2].beta == 4 + 6
    assert found[2].model == 2 * 10 + 3
    assert found[2].simulated == 4 * 3 + 12 + 3 + 2


def test_adaptive_and_indirect_routings() -> None:
    base = mesh(3, 3)
    plain = costs(dimension_order(base, 1))
    assert costs(duato(base, 2)) == plain
    direct, detour = costs(ugal(base)), costs(valiant(base))
    assert direct == plain
    assert detour[2].hops == pytest.approx(2 * direct[2].hops)
    assert costs(dimension_order(hypercube(3)))[2].hops == 1.5


def test_nothing_to_cross() -> None:
    cost = costs(dimension_order(mesh(2)), packet_length=5, traffic=[0, 1])[2]
    assert (cost.hops, cost.beta, cost.model, cost.simulated) == (0, 0, 5, 4 + 3 + 4)


def test_the_model_itself() -> None:
    assert model_time("wormhole", 7, 100, beta=30, tau=2) == 7 * 30 + 200
    assert model_time("vct", 7, 100, beta=30, tau=2) == model_time("wormhole", 7, 100, beta=30, tau=2, packets=10)
    assert model_time("saf", 7, 100, beta=30, tau=2) == 7 * (30 + 200)
    assert model_time("saf", 7, 100, beta=30, tau=2, packets=10) == (7 + 9) * (30 + 20)
    assert model_time("saf", 1, 64, beta=5) == model_time("wormhole", 1, 64, beta=5)
    assert model_time("saf", 0, 64, beta=5) == 0
    for wrong in ({"beta": -1}, {"beta": float("nan")}, {"beta": 1, "packets": 0}, {"beta": 1, "packets": 1.5}):
        with pytest.raises(SimulationError, match="of the cost model must be"):
            model_time("saf", 3, 8, **wrong)


@pytest.mark.parametrize("size", [4, 8])
def test_a_message_cut_into_packets_is_faster_than_in_the_model(size: int) -> None:
    """Store-and-forward with VCs for four packets: start-up goes on while the packet before is sent."""
    relation, hops = two_routers(4), 1
    for packets in (1, 2, 10):
        trace = [TracedMessage(0, 0, 0, size)] * packets
        run = run_trace(relation, trace, switching="saf", buffer_depth=size)
        assert run.makespan == alone("saf", size, hops + 1, 1) + (packets - 1) * size
        first = model_time("saf", hops, size, beta=5)
        whole = model_time("saf", hops, size * packets, beta=5, packets=packets)
        assert whole - first == (packets - 1) * (5 + size) >= run.makespan - alone("saf", size, hops + 1, 1)


def test_costs_compare_as_values() -> None:
    found = costs(dimension_order(mesh(3, 3)), packet_length=4)
    assert [cost.switching for cost in found] == list(SWITCHINGS)
    assert replace(found[0], switching="vct") != found[1]
    assert found[0].simulated > found[1].simulated == found[2].simulated == found[3].simulated


def test_the_table_in_the_docs() -> None:
    page = (Path(__file__).parents[3] / "docs/simulator.md").read_text(encoding="utf-8")
    table = page.split("| 8×8 mesh, uniform | 1 flit |")[1].split("\n\n")[0]
    rows = [re.findall(r"\d+\.\d+", line) for line in table.splitlines()[2:]]
    relation = dimension_order(mesh(8, 8), 4)
    found = [costs(relation, packet_length=flits) for flits in (1, 8, 64)]
    for switching, (model, simulated) in (("wormhole", rows[:2]), ("vct", rows[:2]), ("saf", rows[2:])):
        shown = [of(switching, cost) for cost in found]
        assert [float(value) for value in model] == [cost.model for cost in shown]
        assert [float(value) for value in simulated] == [cost.simulated for cost in shown]


def test_the_command() -> None:
    words = ["analyse", "mesh(4, 4)", "--routing", "dimension_order"]
    plain = CliRunner().invoke(app, [*words, "--flits", "8"]).stdout
    assert [line.split() for line in plain.splitlines() if "  8  " in line][-4:] == [
        ["saf", "8", "2.5", "5", "1", "32.5", "47.5"],
        ["vct", "8", "2.5", "5", "1", "20.5", "26.5"],
        ["wormhole", "8", "2.5", "5", "1", "20.5", "26.5"],
        ["wormhole-nonatomic", "8", "2.5", "5", "1", "20.5", "26.5"],
    ]
    found = json.loads(CliRunner().invoke(app, [*words, "--flits", "8", "--json"]).stdout)["costs"]
    assert [tuple(row.values()) for row in found] == [
        tuple(vars(cost).values()) for cost in costs(dimension_order(mesh(4, 4)), packet_length=8)
    ]
    assert json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)["costs"] == []
    assert CliRunner().invoke(app, [*words, "--flits", "0"]).exit_code == 2
