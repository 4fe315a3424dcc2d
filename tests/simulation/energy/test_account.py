"""Energies of runs against sums by hand, flit by flit and link by link."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.simulation.energy.technologies import NOXIM, OWN, gates
from unknot._base.errors import SimulationError, UnknotError
from unknot.network import Network, Wires
from unknot.network.families import mesh
from unknot.simulation import Energy, EnergyRun, Run, simulate
from unknot.simulation.energy.gates import read_gates
from unknot.simulation.energy.geometry import Geometry
from unknot.simulation.energy.option import energy_of, read_technology
from unknot.traffic import TrafficClass

POINT = {"routing": "dimension_order", "packet_length": 3, "warmup": 200, "measure": 1000, "vcs": 2}
ONE_WAY = [2, -1, -1]
"""Terminal 0 sends to terminal 2, through the router between."""


@pytest.fixture
def own(tmp_path: Path) -> str:
    (tmp_path / "own.toml").write_text(OWN, encoding="utf-8")
    return str(tmp_path / "own.toml")


def measured(energy: str | Energy, **changes: object) -> tuple[Run, EnergyRun]:
    run = simulate(mesh(3), 0.3, traffic=ONE_WAY, energy=energy, **(POINT | changes))  # type: ignore[arg-type]
    assert run.energy is not None
    return run, run.energy


def test_a_flow_takes_what_its_flits_take_one_by_one(own: str) -> None:
    """Of a line of three routers: per flit a link of the terminal, two channels, a link to a terminal."""
    run, energy = measured(f"{own}, flit_width=10, clock=2 GHz, channel_length=3, terminal_length=0.5")
    sent = np.rint(run.utilisation * run.measured)
    assert sorted(sent.tolist())[:2] == [0, 0]
    first, second = sorted(sent.tolist())[2:]  # how often each channel of the way was used, a few flits apart
    crossbars = {1: 2, 2: 3}  # ports of routers at the end, and in the middle
    by_hand = {"buffer": 0.0, "crossbar": 0.0, "output": 0.0, "link": 0.0}
    flits = run.accepted_load * 3 * run.measured
    for into, ports, out in (
        (first, crossbars[1], first),
        (first, crossbars[2], second),
        (second, crossbars[1], flits),
    ):
        across = ports * 10 * 43e-3
        by_hand["buffer"] += into * 10 * 2 + out * 10 * 3
        by_hand["crossbar"] += out * (10 * 5 * 2 * across + 11)
        by_hand["output"] += out * 10 * 7 + out / 3 * 13
    by_hand["link"] = 10 * 17 * (first * 0.5 + first * 3 + second * 3 + flits * 0.5)
    milliwatts = 2 / run.measured
    for part in energy.parts:
        # Flits that a router of the way has not passed on at an end of the window: at most its buffers.
        assert part.dynamic_mw == pytest.approx(by_hand[part.name] * milliwatts, rel=0.02), part.name
    assert energy.dynamic_mw == pytest.approx(sum(part.dynamic_mw for part in energy.parts))
    assert energy.router_dynamic_mw.sum() + energy.parts[3].dynamic_mw == pytest.approx(energy.dynamic_mw)
    assert energy.channel_dynamic_mw == pytest.approx(sent * 10 * 17 * 3 * milliwatts)
    bits = flits * 10 * milliwatts
    assert energy.pj_per_bit == pytest.approx((energy.dynamic_mw + energy.static_mw) / bits)
    assert energy.dynamic_pj_per_bit == pytest.approx(energy.dynamic_mw / bits)


def test_what_leaks_is_added_up_by_hand(own: str) -> None:
    _, energy = measured(f"{own}, flit_width=10, clock=2, channel_length=3, terminal_length=0.5", buffer_depth=4)
    parts = {part.name: part for part in energy.parts}
    bits = (4 + 3) * 2 * 4 * 10  # four channels and three terminals lead into buffers of 2 VCs
    outputs, wires = 2 + 3 + 2, 10 * (4 * 3 + 6 * 0.5)
    crossbars = (2 * 2 + 3 * 3 + 2 * 2) * (10 * 43e-3) ** 2
    assert parts["buffer"].area_mm2 == pytest.approx(bits * 41e-6)
    assert parts["buffer"].static_mw == pytest.approx(bits * 19e-3)
    assert parts["crossbar"].area_mm2 == pytest.approx(crossbars)
    assert parts["crossbar"].static_mw == pytest.approx(23 * crossbars)
    assert parts["output"].area_mm2 == pytest.approx(outputs * 10 * 47e-6)
    assert parts["output"].static_mw == pytest.approx(29 * outputs * 10 * 47e-6 + 2 * outputs * 10 * 31e-3)
    assert parts["link"].area_mm2 == pytest.approx(wires * 53e-6)
    assert parts["link"].static_mw == pytest.approx(29 * wires * 53e-6 + 2 * wires * 37e-3)
    assert energy.router_static_mw.sum() == pytest.approx(energy.static_mw - parts["link"].static_mw)
    assert energy.area_mm2 == pytest.approx(sum(part.area_mm2 or 0.0 for part in energy.parts))


def test_classes_take_all_of_it(own: str) -> None:
    classes = [TrafficClass(name="short"), TrafficClass(messages=4, name="long", share=3)]
    options = {"routing": "dimension_order", "warmup": 300, "measure": 4000}
    run = simulate("mesh(3, 3)", 0.3, classes=classes, energy=f"{own}, flit_width=8, clock=1, pitch=1, "
                   "terminal_length=1", **options)  # fmt: skip
    assert run.energy is not None
    short, long = run.energy.classes
    assert (short.name, long.name) == ("short", "long")
    assert short.dynamic_mw + long.dynamic_mw == pytest.approx(run.energy.dynamic_mw)
    assert long.dynamic_mw / short.dynamic_mw == pytest.approx(3, rel=0.1)


def test_a_narrow_channel_has_fewer_wires(own: str) -> None:
    """Half as many leak; the bits that a flit sends are the same."""
    pair = Network("pair", 2, [0, 1], [1, 0], wires=Wires(bandwidth=["1/2", 1]))
    run = simulate(pair, 0.2, routing="up_down", energy=f"{own}, flit_width=8, clock=1, channel_length=1, "
                   "terminal_length=1", warmup=100, measure=1000)  # fmt: skip
    assert run.energy is not None
    assert run.energy.channel_static_mw[0] == pytest.approx(run.energy.channel_static_mw[1] / 2)
    per_flit = run.energy.channel_dynamic_mw / (run.utilisation * run.measured)
    assert per_flit[0] == pytest.approx(per_flit[1])


def test_lengths_are_those_of_the_coordinates(own: str) -> None:
    def lengths(network: str, **options: float) -> list[float]:
        design = Energy(own, flit_width=8, clock=1.0, terminal_length=1.0, **options)
        run = simulate(network, 0.1, routing="up_down", energy=design, warmup=50, measure=100)
        assert run.energy is not None
        return sorted(set(np.round(run.energy.channel_static_mw, 9)))

    line, around = lengths("mesh(4)", pitch=2.0), lengths("torus(4)", pitch=2.0)
    assert len(line) == 1
    assert around == pytest.approx([line[0], 3 * line[0]], abs=1e-8)
    assert lengths("mesh(4)", cycle_length=2.0) == line
    with pytest.raises(SimulationError, match="pitch takes coordinates of routers"):
        lengths("complete(4)", pitch=2.0)


def test_each_channel_may_have_its_length(own: str) -> None:
    design = Energy(own, flit_width=8, clock=1.0, terminal_length=1.0, channel_length=[1.0, 2.0, 3.0, 4.0])
    _, energy = measured(design)
    assert energy.channel_static_mw / energy.channel_static_mw[0] == pytest.approx([1, 2, 3, 4])
    with pytest.raises(SimulationError, match=r"channel_length has 1 lengths, and mesh\(3\) has 4 channels"):
        measured(Energy(own, flit_width=8, clock=1.0, terminal_length=1.0, channel_length=[1.0]))


@pytest.mark.parametrize("missing", ["flit_width", "clock", "terminal_length", "channel_length"])
def test_nothing_is_assumed(own: str, missing: str) -> None:
    """What is missing is named, and never 0."""
    options = {"flit_width": 8, "clock": 1, "terminal_length": 1, "channel_length": 1}
    options.pop(missing)
    with pytest.raises(SimulationError, match=missing):
        measured(", ".join([own, *(f"{key}={number}" for key, number in options.items())]))


def test_booksim_adds_up_the_same(tmp_path: Path) -> None:
    """Constant parts and areas that BookSim 2 prints for a 4-ary 2-cube of 4 VCs of 8 flits of 64 bits."""
    (tmp_path / "tech").write_text(gates(), encoding="utf-8")
    nodes, links = 16, 64 + 32
    ends = np.repeat(np.arange(nodes), 5)
    away = np.full(nodes, -1)
    geometry = Geometry(
        flit_width=64.0,
        clock=read_technology(tmp_path / "tech").defaults["clock"],
        width=np.full(links, 64.0),
        length=np.concatenate([np.full(64, 4.0), np.full(32, 2.0)]),
        begins=np.concatenate([ends[:64] % nodes, away, np.arange(nodes)]),
        ends=np.concatenate([ends[:64] % nodes, np.arange(nodes), away]),
        vcs=np.concatenate([np.full(80, 4), np.zeros(16, dtype=np.int64)]),
        depth=8,
        inputs=np.full(nodes, 5),
        outputs=np.full(nodes, 5),
    )
    process = replace(read_gates(gates(), "tech"), faithful=True)
    costs = process.costs(geometry)
    watts = {part: 1e-3 * power.sum() for part, power in costs.power.items()}
    expected = {"buffer": 0.0471859, "crossbar": 0.11713, "output": 0.151485, "link": 0.605938 + 0.228428}
    assert watts == pytest.approx(expected, rel=1e-5)
    assert costs.area is not None
    areas = {part: area.sum() for part, area in costs.area.items()}
    expected = {"buffer": 0.0503316, "crossbar": 0.041943, "output": 0.0041943, "link": 0.0454033}
    assert areas == pytest.approx(expected, rel=1e-5)
    # A flit is written, read, let through the switch and registered behind it in each router, however many there are.
    of_flit = {name: costs.energy[name][0] for name in ("buffer_read", "buffer_write")}
    of_flit |= {name: costs.energy[name][-1] for name in ("switch_allocation", "output")}
    printed = {"buffer_read": 0.194, "buffer_write": 0.194, "switch_allocation": 0.130889, "output": 0.0494328}
    for name, power in printed.items():
        assert of_flit[name] / of_flit["output"] == pytest.approx(power / printed["output"], rel=1e-4), name


def test_booksim_takes_the_same_for_flits(tmp_path: Path) -> None:
    """Powers that BookSim 2 prints for this configuration, over 80,055 cycles."""
    from unknot_booksim import read_setup

    (tmp_path / "tech").write_text(gates(), encoding="utf-8")
    (tmp_path / "torus").write_text(
        "topology = torus; k = 4; n = 2; routing_function = dim_order; num_vcs = 4; vc_buf_size = 8; "
        "packet_size = 2; injection_rate = 0.1; channel_width = 64; sim_power = 1; tech_file = tech; "
        "sample_period = 5000;",
        encoding="utf-8",
    )
    setup = read_setup(tmp_path / "torus", faithful=True)
    run = simulate(setup.relation, setup.load, **setup.options)
    assert run.energy is not None
    watts = {part.name: 1e-3 * part.dynamic_mw for part in run.energy.parts}
    expected = {
        "buffer": 0.194 + 0.194,
        "crossbar": 0.335313 + 0.130889,
        "output": 0.0326056 + 0.0168272,
        "link": 10.4972 + 0.130422,
    }
    assert watts == pytest.approx(expected, rel=0.02)


def test_corrected_circuits_differ_where_they_say(tmp_path: Path) -> None:
    process = read_gates(gates(), "tech")
    geometry = Geometry(
        64.0, 1.0, np.full(2, 64.0), np.full(2, 1.0), np.array([-1, 0]), np.array([0, -1]), np.array([2, 0]), 4,
        np.array([1]), np.array([1]),
    )  # fmt: skip
    right, wrong = process.costs(geometry), replace(process, faithful=True).costs(geometry)
    differ = {name for name in right.energy if not np.allclose(right.energy[name], wrong.energy[name], rtol=1e-9)}
    assert differ == {"buffer_write", "buffer_read"}
    assert right.power["crossbar"] == pytest.approx(0.9 * wrong.power["crossbar"])  # Vdd is 0.9 V


def test_noxim_is_added_up_by_hand(tmp_path: Path) -> None:
    (tmp_path / "power.yaml").write_text(NOXIM, encoding="utf-8")
    run, energy = measured(f"{tmp_path}/power.yaml, flit_width=64, clock=1, channel_length=2, terminal_length=1")
    sent = np.rint(run.utilisation * run.measured)
    parts = {part.name: part for part in energy.parts}
    assert energy.channel_dynamic_mw == pytest.approx(sent * 64 * 9e-2 / run.measured)
    assert parts["buffer"].static_mw == pytest.approx(7 * 2 * 7)  # seven links into buffers of 2 VCs, 7 mW each
    assert parts["crossbar"].static_mw == pytest.approx(3 * (1 + 0.1 + 0.2))
    assert parts["link"].static_mw == pytest.approx(64e3 * (4 * 6e-7 + 6 * 5e-7) + 6 * 0.1)
    assert parts["buffer"].dynamic_mw == pytest.approx((2 + 1 + 3) * 3 * 0.3, rel=0.1)
    assert energy.area_mm2 is None


@pytest.mark.parametrize("wrong", ["flit_width=32", "channel_length=3", "terminal_length=9"])
def test_noxim_has_no_other_rows(tmp_path: Path, wrong: str) -> None:
    (tmp_path / "power.yaml").write_text(NOXIM, encoding="utf-8")
    options = {"flit_width": "64", "clock": "1", "channel_length": "2", "terminal_length": "1"}
    key, _, number = wrong.partition("=")
    text = ", ".join([f"{tmp_path}/power.yaml", *(f"{k}={v}" for k, v in (options | {key: number}).items())])
    with pytest.raises(SimulationError, match="has no row for"):
        measured(text)


def test_the_technology_that_is_shipped_names_its_source() -> None:
    technology = read_technology("45nm")
    assert "NOCS 2012" in technology.source  # type: ignore[attr-defined]
    assert not technology.defaults


def test_energies_stay_as_they_are(own: str) -> None:
    energy = energy_of(f"{own}, flit_width=16 B, pitch=500 um")
    assert energy is not None
    assert (energy.flit_width, energy.pitch) == (128, 0.5)
    assert energy_of(energy) is energy
    assert energy_of(None) is None


@pytest.mark.parametrize(
    "options",
    [
        {"flit_width": 0},
        {"clock": float("nan")},
        {"pitch": -1.0},
        {"pitch": 1.0, "cycle_length": 1.0},
        {"clock": "2"},
    ],
)
def test_options_that_make_no_sense(own: str, options: dict[str, float]) -> None:
    with pytest.raises(UnknotError, match="energy: "):
        Energy(own, **options)
