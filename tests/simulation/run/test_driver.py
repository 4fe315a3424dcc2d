"""One run from outside: what is refused, what is answered."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference.uniform_pairs import uniform
from unknot._base.errors import RelationError, SimulationError, UnknotError
from unknot._base.switching import SWITCHINGS, Switching
from unknot.network import Network, from_edges
from unknot.network.families import line, mesh, torus
from unknot.routing import EJECT, Relation, dimension_order, ugal, valiant
from unknot.routing.parts import Addressing
from unknot.simulation import Router, Run, simulate


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"load": -0.1}, "load must be a number from 0 to 1"),
        ({"load": 1.5}, "got 1.5"),
        (
            {"load": 4.1, "packet_length": 4},
            "from 0 to 4 flits, a packet in each cycle, per",
        ),
        ({"load": float("nan")}, "got nan"),
        ({"load": float("inf")}, "got inf"),
        ({"load": True}, "got True"),
        ({"load": "0.1"}, "got '0.1'"),
        ({"packet_length": 0}, "packet_length must be a whole number"),
        ({"packet_length": 2.5}, "got 2.5"),
        ({"buffer_depth": 0}, "buffer_depth must be"),
        ({"seed": -1}, "seed must be"),
        ({"packet_length": 9, "switching": "vct"}, "9 flits does not fit a buffer of 8; vct"),
        ({"packet_length": 9, "switching": "saf"}, "does not fit"),
        ({"switching": "wormhol"}, "did you mean wormhole"),
        ({"traffic": "unifrom"}, "did you mean uniform"),
        ({"warmup": -1}, "warmup must be"),
        ({"measure": 0}, "measure must be"),
        ({"interval": 0}, "interval must be"),
        ({"precision": 1.5}, "precision must be a number between 0 and 1"),
        ({"precision": 1}, "precision must be a number between 0 and 1"),
        ({"precision": 0.0}, "precision must be a number between 0 and 1"),
        ({"packet_length": {1: 0.5, (1 << 20) + 1: 0.5}}, "1048577"),
        ({"precision": 0.1, "measure": 100}, "give either it or measure"),
        ({"threads": 0}, "threads must be"),
        ({"packet_length": {1: 0.5, 9: 0.5}, "switching": "vct"}, "a packet of 9 flits does not fit"),
        ({"packet_length": {1: 0.5, 2: -1}}, "the share of length 2 must be above 0"),
    ],
)
def test_bad_points_are_refused(options: dict[str, Any], said: str) -> None:
    point = {"load": 0.1, **options}
    with pytest.raises(UnknotError) as error:
        simulate(dimension_order(mesh(2, 2)), **point)
    assert said in str(error.value)


def test_a_long_packet_is_no_error_under_wormhole() -> None:
    run = simulate(
        dimension_order(mesh(3, 3)), 0.1, packet_length=20, buffer_depth=2, switching="wormhole", measure=5000
    )
    assert run.stable
    assert run.latency_mean is not None
    assert run.latency_mean > 26


def test_nothing_offered_nothing_measured() -> None:
    run = simulate(dimension_order(mesh(2, 2)), 0.0, switching="wormhole")
    assert run.stable
    assert (run.packets, run.accepted_load, run.flit_hops) == (0, 0.0, 0)
    assert run.latency_mean is run.latency_p50 is run.latency_p99 is run.latency_max is run.hops_mean is None


def test_order_statistics_are_consistent_and_runs_repeat() -> None:
    relation = dimension_order(mesh(4, 4), 2)
    run = simulate(relation, 0.3, packet_length=3, seed=7, switching="wormhole")
    assert run == simulate(relation, 0.3, packet_length=3, seed=7, switching="wormhole")
    assert run != simulate(relation, 0.3, packet_length=3, seed=8, switching="wormhole")
    assert run.latency_p50 <= run.latency_p95 <= run.latency_p99 <= run.latency_max  # type: ignore[operator]
    assert run.network_latency_mean < run.latency_mean < run.latency_max  # type: ignore[operator]
    assert run.packets > 5000


def test_given_lengths_of_warmup_and_measurement() -> None:
    stages: list[str] = []

    def progress(stage: str, cycle: int, total: int) -> None:
        assert total == 0, "nobody knows how many cycles it will take"
        stages.append(stage)

    run = simulate(
        dimension_order(mesh(4, 4), 4),
        0.2,
        warmup=100,
        measure=1000,
        progress=progress,
        switching="wormhole",
    )
    assert 1100 <= run.cycles < 1500
    assert run.packets == pytest.approx(0.2 * 16 * 1000, rel=0.1)
    assert stages[:2] == ["starting", "measuring"]
    assert "warming up" not in stages


def test_without_self_traffic() -> None:
    relation = dimension_order(line(2))
    assert simulate(relation, 0.1, traffic="uniform-others", switching="wormhole").hops_mean == 1.0
    assert simulate(relation, 0.1, switching="wormhole").hops_mean == pytest.approx(0.5, abs=0.05)


def test_one_terminal_alone_has_nobody_else() -> None:
    with pytest.raises(SimulationError, match="no traffic to simulate"):
        simulate(dimension_order(line(1)), 0.1, traffic="uniform-others", switching="wormhole")


def test_a_network_without_terminals() -> None:
    network = Network("bare", 2, [0, 1], [1, 0], inject=[], eject=[])
    with pytest.raises(SimulationError, match="no terminals"):
        simulate(Relation(network, 1, lambda at, address, out: 0), 0.1, switching="wormhole")


def test_a_dead_end_is_named() -> None:
    network = from_edges([(0, 1), (2, 3)])

    def rule(at: int, address: int, out: np.ndarray) -> int:
        return 0

    with pytest.raises(RelationError, match=r"has no candidate there"):
        simulate(Relation(network, 1, rule), 0.1, traffic="uniform-others", switching="wormhole")


def test_a_rule_that_breaks_its_contract_is_named() -> None:
    def far(at: int, address: int, out: np.ndarray) -> int:
        out[0] = 99
        return 1

    def failing(at: int, address: int, out: np.ndarray) -> int:
        out[at + 100] = EJECT
        return 1

    def hopeless(at: int, address: int, out: np.ndarray) -> int:
        out[0] = EJECT
        return 1

    for rule, said in (
        (far, "it offers VC 99, and .* has 4 VCs"),
        (failing, "raised IndexError"),
        (hopeless, "destination is at"),
    ):
        with pytest.raises(RelationError, match=said):
            simulate(Relation(line(3), 1, rule), 0.1, traffic="uniform-others", switching="wormhole")


def test_only_the_addresses_a_source_may_use() -> None:
    """Two addresses for each terminal of a pair; terminal 0 uses the even ones, terminal 1 the odd ones."""
    network = line(2)

    def rule(at: int, address: int, out: np.ndarray) -> int:
        here = 1 - at if at < 2 else at - 2
        if (at == 1 and address % 2 == 0) or (at == 0 and address % 2 == 1):
            return 0
        out[0] = EJECT if here == address // 2 else here
        return 1

    may_use = np.array([[1, 0, 1, 0], [0, 1, 0, 1]], dtype=bool)
    relation = Relation(network, 1, rule, addresses=Addressing([0, 0, 1, 1], may_use=may_use))
    run = simulate(relation, 0.05, switching="wormhole")
    assert run.stable
    assert run.hops_mean == pytest.approx(0.5, abs=0.05)


@pytest.mark.long
def test_ugal_goes_directly_until_queues_grow() -> None:
    """Mean hops on an 8×8 mesh: 5.25 directly, 10.5 by way of a waypoint drawn at random."""

    def run(algorithm: Any, load: float) -> Run:
        relation = algorithm(mesh(8, 8), vcs=8)
        return simulate(
            relation, load, packet_length=4, switching="wormhole-nonatomic", seed=2, warmup=1000, measure=4000
        )

    direct, some, none = run(ugal, 0.002), run(ugal, 0.3), run(valiant, 0.3)
    assert direct.hops_mean == pytest.approx(5.25, abs=0.3)
    assert 5.4 < some.hops_mean < 7  # type: ignore[operator]
    assert some.stable
    assert not none.stable
    assert run(valiant, 0.05).hops_mean == pytest.approx(10.5, abs=0.3)


@pytest.mark.long
def test_waypoint_schemes_on_16_by_16() -> None:
    """There are 65,536 addresses; who may send to whom takes no table of them for each source."""
    relation = valiant(mesh(16, 16))
    pairs = uniform(relation)
    assert pairs.addresses.size == 256**2
    assert simulate(relation, 0.05, warmup=200, measure=500, switching="wormhole").packets > 500


def test_saturation_is_said_whatever_the_length() -> None:
    for length in (1, 4):
        run = simulate(dimension_order(torus(8, 8), 2), 0.9, packet_length=length, measure=3000, switching="wormhole")
        assert not run.stable
        assert run.reason.startswith("saturated")
        assert run.accepted_load < 0.75


def test_the_kernel_is_compiled_once_for_all_networks_and_processes() -> None:
    code = (
        "import sys;"
        "from unknot.simulation import simulate; from unknot.routing import dimension_order;"
        "from unknot.network.families import mesh;"
        "[simulate(dimension_order(mesh(*k), v), 0.1, measure=100) for k, v in (((2, 2), 1), ((3,), 2))];"
        "print('numba' in sys.modules)"
    )
    simulate(dimension_order(mesh(2, 2)), 0.1, measure=100)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_plain_run_loads_the_fast_router_alone() -> None:
    """And nothing that only compiling or proving needs: half the processor time of a short run went there."""
    for more in (Router(), Router(routing_delay=2)):
        simulate("mesh(3, 3)", 0.2, routing="dimension_order", warmup=50, measure=100, router=more)
    code = (
        "import sys; from unknot.simulation import Router, simulate;"
        "simulate('mesh(3, 3)', 0.2, routing='dimension_order', warmup=50, measure=100, router=Router({}));"
        "from unknot.simulation.engine import kernels;"
        "loaded = [n for n in ('numba', 'scipy.sparse') if n in sys.modules];"
        "print(loaded, any('_function' in vars(one) for one in kernels.work.values()))"
    )
    words = [[sys.executable, "-c", code.format(more)] for more in ("", "routing_delay=2")]
    said = [subprocess.run(word, capture_output=True, text=True, check=True).stdout.strip() for word in words]
    assert said == ["[] False", "[] True"]


@pytest.mark.long
@given(
    st.sampled_from(SWITCHINGS),
    st.sampled_from([0.1, 0.4, 0.9]),
    st.sampled_from([4, 12, 20]),
    st.sampled_from([Router(), Router(allocator="separable_input_first"), Router(internal_speedup=2)]),
    st.integers(1, 3),
    st.integers(1, 2**32),
)
@settings(max_examples=2)
def test_both_routers_give_the_same_run(
    switching: Switching, load: float, num_vcs: int, router: Router, threads: int, seed: int
) -> None:
    """In routers of one word, and of two."""
    relation = dimension_order(torus(4, 4), num_vcs)
    options: dict[str, Any] = {
        "switching": switching,
        "threads": threads,
        "router": router,
        "seed": seed,
        "warmup": 100,
        "measure": 300,
    }
    plain = simulate(relation, load, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("unknot.simulation.engine.table_sizes.is_packable", lambda *_: False)
        assert simulate(relation, load, **options) == plain


@pytest.mark.long
def test_a_window_shorter_than_the_transient_is_too_short_and_not_saturated() -> None:
    """A mesh at less than a half of what it carries, looked at while it fills."""
    relation = dimension_order(mesh(16, 16), 4)
    run = simulate(relation, 0.1, warmup=20, measure=60)
    assert not run.stable
    assert run.outcome == "too short"
    assert "the network was still filling; warm up and measure for longer" in run.reason
    assert "saturated" not in run.reason
    assert simulate(relation, 0.1, warmup=500, measure=500).outcome == "stable"
    assert simulate(relation, 0.5, warmup=500, measure=500).outcome == "saturated"
