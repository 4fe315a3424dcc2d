"""What BookSim's terminals and slow stages do to latency and load, beside figures that it printed itself."""

from __future__ import annotations

from pathlib import Path
from statistics import mean

import pytest

from tests.booksim.files import understood
from unknot.simulation import simulate

MESH = (
    "topology = mesh; k = 4; n = 2; routing_function = dor; num_vcs = 4; vc_buf_size = 4; sample_period = 2000; "
    "packet_size = 1; "
)
FLY = (
    "topology = fly; k = 4; n = 1; routing_function = dest_tag; num_vcs = 1; sample_period = 2000; "
    "wait_for_tail_credit = 1; "
)
ADAPTIVE = MESH.replace("dor", "min_adapt") + "traffic = bitcomp; packet_size = 2; injection_rate = 0.15; "
FATTREE = (
    "topology = fattree; k = 4; n = 2; routing_function = anca; num_vcs = 4; vc_buf_size = 4; traffic = bitcomp; "
    "injection_rate = 0.99; "
)
DRAGONFLY = (
    "topology = dragonflynew; k = 2; n = 1; routing_function = min; num_vcs = 8; vc_buf_size = 256; packet_size = 4; "
    "input_speedup = 2; speculative = 1; injection_rate = 0.2475; "
)
RECORDED = [
    (MESH + "routing_delay = 4; injection_rate = 0.2;", 40.74, 0.2),
    (MESH + "st_final_delay = 4; injection_rate = 0.5;", 40.11, 0.5),
    (MESH + "credit_delay = 4; injection_rate = 0.15; packet_size = 5;", None, 0.6263),
    (MESH + "vc_buf_size = 2; injection_rate = 0.5; traffic = hotspot({{5,10}});", None, 0.1205),
    (FLY + "injection_rate = 0.9;", None, 0.111),
    (MESH + "st_final_delay = 3; internal_speedup = 2.0; injection_rate = 0.5;", 23.03, 0.5),
    (ADAPTIVE + "vc_allocator = separable_input_first;", 30.56, 0.3),
    (ADAPTIVE + "vc_allocator = wavefront;", 31.12, 0.3),
    (FATTREE, None, 0.6675),
    (DRAGONFLY, None, 0.5947),
]
"""Configuration, mean latency of BookSim 2 (two seeds) where it is stable, and what it accepts."""
MORE = [
    (MESH + "routing_delay = 2; injection_rate = 0.2;", 25.92, 0.2),
    (MESH + "routing_delay = 4; injection_rate = 0.5;", None, 0.4178),
    (MESH + "st_final_delay = 2; injection_rate = 0.5;", 28.01, 0.5),
    (MESH + "credit_delay = 4; injection_rate = 0.9;", None, 0.7193),
    (MESH + "vc_buf_size = 2; injection_rate = 0.5;", 22.46, 0.5),
    (MESH + "vc_buf_size = 2; num_vcs = 1; injection_rate = 0.3;", None, 0.1793),
]
"""Other values of the same keys, for `make campaign`."""


@pytest.mark.long
@pytest.mark.sampled(0.2)
@pytest.mark.parametrize(
    ("text", "latency", "accepted"),
    [*RECORDED, *(pytest.param(*point, marks=pytest.mark.campaign) for point in MORE)],
)
def test_what_booksim_says(tmp_path: Path, text: str, latency: float | None, accepted: float) -> None:
    setup = understood(tmp_path, text=text, faithful=True)
    # What is accepted at most varies less from seed to seed than latencies.
    seeds = (0,) if latency is None else (0, 1)
    runs = [simulate(setup.relation, setup.load, seed=seed, **setup.options) for seed in seeds]
    assert mean(run.accepted_load for run in runs) == pytest.approx(accepted, rel=0.02)
    if latency is not None:
        assert mean(run.latency_mean or 0.0 for run in runs) == pytest.approx(latency, rel=0.015)


def test_slow_stages_are_pipelined_unless_faithful(tmp_path: Path) -> None:
    for key in ("routing_delay", "st_final_delay"):
        found = [understood(tmp_path, f"{key}=3", faithful=faithful).options["router"] for faithful in (False, True)]
        assert [router.pipelined for router in found] == [True, False]
        assert all(router.ejection_credits for router in found)


def test_where_booksim_stops_is_said(tmp_path: Path) -> None:
    setup = understood(tmp_path, "sw_alloc_delay=2", "routing_delay=2", faithful=True)
    assert setup.options["router"].pipelined
    assert any("sw_alloc_delay" in words and "BookSim stops" in words for words in setup.warnings)
    both = understood(tmp_path, "internal_speedup=2.0", "st_final_delay=2", faithful=True)
    assert not both.options["router"].pipelined
