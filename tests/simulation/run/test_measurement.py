"""Confidence, utilisation and occupancy of a run."""

from __future__ import annotations

import numpy as np
import pytest

from tests.reference.uniform_pairs import uniform
from tests.simulation.engines import engine_of
from tests.simulation.relations import clockwise
from unknot._base.switching import Switching
from unknot.network.families import line, mesh, torus
from unknot.routing import dimension_order, o1turn
from unknot.simulation import player, simulate
from unknot.simulation.engine.sources import Sources
from unknot.simulation.player import DrawnPackets, play
from unknot.simulation.run.measurement import SOONER, Measured
from unknot.simulation.run.statistics import correlation_time, half_width, half_width_of_batches
from unknot.simulation.run.window import Window
from unknot.verify.loads import loads

NONATOMIC: Switching = "wormhole-nonatomic"


def test_half_width_is_students() -> None:
    assert half_width(np.array([1.0, 2, 3, 4, 5])) == pytest.approx(2.776445 * np.sqrt(2.5 / 5))
    assert half_width(np.array([1.0, 2, 3, 4])) is None


def test_intervals_of_independent_values_cover_their_mean() -> None:
    random = np.random.default_rng(1)
    inside = 0
    for _ in range(400):
        values = random.geometric(0.05, 4000)
        width = half_width(values.reshape(20, 200).mean(axis=1))
        assert width is not None
        inside += abs(values.mean() - 20) <= width
    assert 0.92 <= inside / 400 <= 0.98


@pytest.mark.long
def test_runs_cover_the_mean_of_long_runs() -> None:
    relation, switching = dimension_order(mesh(4, 4), 4), NONATOMIC
    long = simulate(relation, 0.4, measure=100_000, seed=99, switching=switching)
    runs = [simulate(relation, 0.4, seed=seed, warmup=500, measure=4000, switching=switching) for seed in range(40)]
    assert long.latency_mean is not None
    inside = 0
    for run in runs:
        assert run.latency_mean is not None
        assert run.latency_half_width is not None
        assert run.accepted_half_width is not None
        inside += abs(run.latency_mean - long.latency_mean) <= run.latency_half_width
    assert inside >= 33
    spread = np.std([run.latency_mean for run in runs], ddof=1)  # type: ignore[type-var]
    assert np.mean([run.latency_half_width for run in runs]) <= 1.6 * 1.96 * spread


def test_too_little_to_say() -> None:
    assert (
        simulate(dimension_order(line(2)), 0.01, warmup=0, measure=1000, switching="wormhole").latency_half_width
        is None
    )
    assert (
        simulate(dimension_order(line(2)), 0.5, warmup=0, measure=10, switching="wormhole").accepted_half_width
        is None
    )
    full = simulate(dimension_order(torus(4, 4), 2), 1.0, measure=2000, switching="wormhole")
    assert (full.stable, full.latency_half_width) == (False, None)
    assert full.accepted_half_width is not None


def test_windows_go_on_until_the_mean_is_known_as_well_as_wanted() -> None:
    relation = dimension_order(mesh(4, 4), 4)
    short = simulate(relation, 0.4, switching=NONATOMIC)
    exact = simulate(relation, 0.4, switching=NONATOMIC, precision=0.002)
    for run, least in ((short, 0.002), (exact, 0.0)):
        assert run.latency_mean is not None
        assert run.latency_half_width is not None
        assert run.latency_half_width / run.latency_mean > least
    assert exact.latency_half_width <= 0.002 * exact.latency_mean  # type: ignore[operator]
    assert exact.measured > short.measured
    part = 5000 // SOONER
    assert (short.measured % part, exact.measured % part) == (0, 0)


def test_intervals_that_end_a_window_are_cautious(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without controls a precision that any window has changes neither window nor mean; the interval may be wider."""
    monkeypatch.setattr(Measured, "known", lambda _: None)
    relation, wider = dimension_order(mesh(4, 4), 4), 0
    for seed in range(6):
        usual, precise = (simulate(relation, 0.3, switching=NONATOMIC, seed=seed, precision=p) for p in (None, 0.99))
        assert (precise.measured, precise.latency_mean) == (usual.measured, usual.latency_mean)
        assert usual.latency_half_width is not None
        assert precise.latency_half_width is not None
        assert precise.latency_half_width >= usual.latency_half_width
        wider += precise.latency_half_width > usual.latency_half_width
    assert wider


def test_windows_remember_the_longest_correlation_time() -> None:
    """The interval of a window that went on depends on how its first part looked."""
    relation = dimension_order(mesh(4, 4), 4)
    engine = engine_of(relation, NONATOMIC, Sources(0.6, uniform(relation), 1), buffer_depth=8, seed=2)
    player.run(engine, 500)
    window, times = Window(engine), []
    for cycles in (800, 800, 1600):
        play(DrawnPackets(engine, window.go_on(cycles)))
        totals, counts = window._batches[:, 3], window._batches[:, 2]
        times.append(correlation_time(totals / counts) * window.cycles / 40)
        longest = max(times) / window.cycles * 40 if len(times) > 1 else None
        assert window.latency_half_width == half_width_of_batches(totals, counts, 10, longest=longest)
    assert times[-1] < max(times)


@pytest.mark.long
def test_windows_grow_while_batches_depend_on_one_another() -> None:
    """On the 8×8 mesh latencies are alike for some hundred cycles at load 0.4, and hardly at all at 0.1."""
    relation = dimension_order(mesh(8, 8), 4)
    easy, hard = (simulate(relation, load, switching=NONATOMIC) for load in (0.1, 0.4))
    assert easy.warmup == 1500
    assert easy.measured < 5000
    assert hard.measured >= 10_000
    assert hard.latency_half_width is not None
    assert simulate(relation, 0.4, switching=NONATOMIC, measure=300, warmup=3000).latency_half_width is None


def test_a_window_begins_anew() -> None:
    """What was measured before does not count: latencies rise in it, since it began in an empty network."""
    relation = dimension_order(mesh(8, 8), 4)
    engine = engine_of(relation, NONATOMIC, Sources(0.42, uniform(relation), 1), buffer_depth=8, seed=1)
    window = Window(engine)
    play(DrawnPackets(engine, window.go_on(5000)))
    assert window.drifts
    again = Window(engine)
    play(DrawnPackets(engine, again.go_on(2000)))
    player.run(engine, 6000)
    arrived = engine.latencies()
    assert arrived.size == engine.count("measured_arrived") == engine.count("measured_created")
    assert arrived.size == pytest.approx(0.42 * 64 * 2000, rel=0.05)


@pytest.mark.parametrize("traffic", ["uniform", "transpose"])
def test_utilisation_is_what_loads_predict(traffic: str) -> None:
    for relation in (dimension_order(mesh(4, 4), 2), dimension_order(torus(4, 4), 4), o1turn(mesh(4, 4), 4)):
        run = simulate(
            relation, 0.1, traffic=traffic, packet_length=2, switching=NONATOMIC, warmup=1000, measure=20_000
        )
        expected = 0.1 * loads(relation, traffic).channel
        assert run.utilisation.shape == expected.shape
        assert np.abs(run.utilisation - expected).max() < 0.015
        assert not run.utilisation[expected == 0].any()


def test_occupancy_is_by_littles_law() -> None:
    """A flit alone stays in a buffer for two cycles, and leaves in the third: routing, VC allocation, switch."""
    run = simulate(dimension_order(mesh(4, 4), 4), 0.05, warmup=500, measure=50_000, switching="wormhole")
    assert run.occupancy.shape == (48 * 4,)
    assert run.occupancy.sum() == pytest.approx(2 * run.utilisation.sum(), rel=0.05)


def test_what_deadlocks_has_been_measured_until_then() -> None:
    run = simulate(clockwise(8), 0.9, packet_length=4, warmup=0, measure=20_000, switching="wormhole")
    assert run.deadlock is not None
    assert run.accepted_half_width is None
    assert run.utilisation.any()
