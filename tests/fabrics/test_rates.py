"""Widths and speeds of InfiniBand cables as bandwidths of channels, and what stands for what a file lacks."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from tests.fabrics.texts import ibnetdiscover, lfts, lst, ring
from unknot.cli.program import app
from unknot.fabrics import Fabric, compare_fabrics, read_fabric, read_network
from unknot.fabrics.rates import SIGNALLED, SPEEDS, Rate, rates
from unknot.lane_assignment import lanes
from unknot.network.bandwidth import LARGEST
from unknot.verify.audit_merged import loads_by_level

BOTH = ["ibnetdiscover", "lst"]


def text_of(kind: str, cables: dict[tuple[str, str], str]) -> str:
    """A ring of three switches whose cables between two nodes, both ends or one, have other rates than 4xQDR."""
    text = ibnetdiscover(ring(3)) if kind == "ibnetdiscover" else lst(ring(3))
    lines, near = [], ""
    for line in text.splitlines():
        if match := re.search(r'^(?:Switch|Ca)\t.*# "(\w+)"', line):
            near = match[1]
        ends = re.findall(r"\{(\w+)\}", line) if kind == "lst" else [near, *re.findall(r'# .*"(\w+)"', line)]
        if (rate := cables.get(tuple(ends))) is not None:  # type: ignore[call-overload]
            line = line.replace("PHY=4x", f"PHY={rate.split()[0]}").replace("SPD=10", f"SPD={rate.split()[-1]}")
            line = line.replace("4xQDR", "".join(rate.split()))
        lines.append(line)
    return "\n".join(lines) + "\n"


def read(tmp_path: Path, kind: str, cables: dict[tuple[str, str], str]) -> Fabric:
    file = tmp_path / f"fabric.{kind}"
    file.write_text(text_of(kind, cables))
    return read_fabric(file)


def both(one: str, other: str, rate: str) -> dict[tuple[str, str], str]:
    return {(one, other): rate, (other, one): rate}


@pytest.mark.parametrize(("kind", "rate"), [("ibnetdiscover", "1x QDR"), ("lst", "1x 10")])
def test_a_cable_at_1x_has_a_quarter_of_the_bandwidth(tmp_path: Path, kind: str, rate: str) -> None:
    fabric = read(tmp_path, kind, both("S0", "S1", rate))
    network = fabric.network
    wanted = [0.25 if {u, v} == {0, 1} else 1 for u, v in zip(network.source, network.target, strict=True)]
    assert network.bandwidth.tolist() == wanted
    assert sorted(set(fabric.rates)) == ["1xQDR", "4xQDR"]
    usual = "1 cable is not of the commonest rate, 32 Gb/s (4xQDR), as bandwidth 1"
    assert f"{usual}: S0[1] – S1[2] at 8 Gb/s (1xQDR), 1/4" in fabric.notes
    assert fabric.assumed == ()


@pytest.mark.parametrize(("kind", "rate"), [("ibnetdiscover", "4x EDR"), ("lst", "4x 25")])
def test_speeds_are_rates_of_data(tmp_path: Path, kind: str, rate: str) -> None:
    network = read(tmp_path, kind, both("S0", "S1", rate)).network
    assert network.bandwidth.max() == 25 / 8


@given(st.lists(st.tuples(st.sampled_from(["1x", "2x", "4x", "8x", "12x"]), st.sampled_from([*SPEEDS])), min_size=1))
def test_bandwidths_have_the_proportions_of_the_rates(drawn: list[tuple[str, str]]) -> None:
    given_rates = [Rate(*one) for one in drawn]
    found = rates([(str(i), rate) for i, rate in enumerate(given_rates)], [])
    usual = given_rates[found.bandwidth.index(Fraction(1))]
    clipped = False
    # Two rates may be alike, as 8x NDR and 4x XDR.
    alike = [drawn.count(one) for one, bandwidth in zip(drawn, found.bandwidth, strict=True) if bandwidth == 1]
    assert max(drawn.count(one) for one in drawn) == max(alike)
    for rate, bandwidth in zip(given_rates, found.bandwidth, strict=True):
        exact = Fraction(int(rate.width[:-1])) * SPEEDS[rate.speed] / (int(usual.width[:-1]) * SPEEDS[usual.speed])
        within = min(max(exact, Fraction(1, LARGEST)), Fraction(LARGEST))
        assert abs(bandwidth / within - 1) < Fraction(1, 400)
        clipped = clipped or within != exact
    assert bool(found.assumed) == clipped


def test_rates_too_far_apart_are_named() -> None:
    slow, fast = Rate("1x", "SDR"), Rate("12x", "XDR")
    found = rates([("A – B", fast), ("A – C", fast), ("B – C", slow)], [])
    assert found.bandwidth == [1, 1, Fraction(1, LARGEST)]
    assert found.assumed == [
        "1 cable is over 1000 times as fast or as slow as 2400 Gb/s (12xXDR): B – C at 2 Gb/s (1xSDR); loads and "
        "runs take 1000 times"
    ]


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("rate", ["?? ??", "4x ???", "3x 7"])
def test_a_rate_that_is_not_understood_is_named(tmp_path: Path, kind: str, rate: str) -> None:
    rate = rate.replace("3x 7", "5x 7") if kind == "lst" else rate
    fabric = read(tmp_path, kind, both("S0", "S1", rate))
    assert (fabric.network.bandwidth == 1).all()
    (words,) = fabric.assumed
    assert words.startswith("1 cable is without a width or speed that is known: S0[1] – S1[2]")
    assert words.endswith("what is missing is taken from 32 Gb/s (4xQDR)")
    assert words in fabric.notes
    with pytest.warns(UserWarning, match=r"fabric\.\w+: 1 cable is without a width or speed"):
        read_network(tmp_path / f"fabric.{kind}")


def test_a_file_without_any_rate(tmp_path: Path) -> None:
    file = tmp_path / "fabric.ibnetdiscover"
    file.write_text(ibnetdiscover(ring(3)).replace(" 4xQDR", ""))
    fabric = read_fabric(file)
    assert (fabric.network.bandwidth == 1).all()
    assert "3 cables are without a width or speed that is known" in fabric.assumed[0]
    assert "count as equally fast" in fabric.assumed[0]


@pytest.mark.parametrize(("kind", "rate"), [("ibnetdiscover", "1x QDR"), ("lst", "1x 10")])
def test_of_two_ends_the_slower_counts(tmp_path: Path, kind: str, rate: str) -> None:
    fabric = read(tmp_path, kind, {("S1", "S0"): rate})
    assert sorted(fabric.network.bandwidth.tolist()) == [0.25, 0.25, 1, 1, 1, 1]
    words = "cables with two rates at their ends, of which the slower counts: S0[1] – S1[2] at 8 Gb/s (1xQDR)"
    assert words in fabric.assumed


def test_a_slow_cable_of_a_host_is_named(tmp_path: Path) -> None:
    fabric = read(tmp_path, "ibnetdiscover", both("S0", "H0", "1x QDR"))
    assert (fabric.network.bandwidth == 1).all()
    (words,) = fabric.assumed
    assert words.startswith("1 cable is of hosts and of another rate than 32 Gb/s (4xQDR): H0[1] – S0[3] at 8")


def test_every_speed_of_a_link_list_has_its_name() -> None:
    assert set(SIGNALLED.values()) <= set(SPEEDS)
    assert [Rate.read("4x", speed).data for speed in SIGNALLED] == sorted(Rate.read("4x", s).data for s in SIGNALLED)


def test_loads_are_over_bandwidths(tmp_path: Path) -> None:
    (tmp_path / "fabric.ibnetdiscover").write_text(text_of("ibnetdiscover", both("S0", "S1", "1x QDR")))
    (tmp_path / "tables.lfts").write_text(lfts(ring(3)))
    fabric = read_fabric(tmp_path)
    load = loads_by_level(fabric)[0]
    routes = np.round(load * fabric.network.bandwidth)
    assert np.array_equal(load, routes / fabric.network.bandwidth)
    assert load.max() == 4 * routes.max()


def test_lanes_keep_from_a_slow_cable(tmp_path: Path) -> None:
    """A triangle: all one-hop routes take the slow cable once each way, so its load is 4."""
    network = read(tmp_path, "ibnetdiscover", both("S0", "S1", "1x QDR")).network
    found = lanes(network, "table", time_limit=20)
    assert found.highest_load == 4
    assert found.load_evidence is not None
    assert found.load_evidence.least == 4


def test_changes_have_rates(tmp_path: Path) -> None:
    was = read(tmp_path, "ibnetdiscover", {})
    now = read(tmp_path, "ibnetdiscover", both("S0", "S1", "1x QDR"))
    assert compare_fabrics(was, now).rates == ("S0[1] – S1[2]: 4xQDR → 1xQDR",)
    assert not compare_fabrics(was, now).none
    assert compare_fabrics(now, now).none


def test_nodes_that_reduce_data_and_hosts_without_cable_are_named(tmp_path: Path) -> None:
    text = ibnetdiscover(ring(3)).replace('"H1"', '"Mellanox Technologies Aggregation Node"')
    bare = 'vendid=0x2c9\ncaguid=0x77\nCa\t1 "H-0000000000000077"\t\t# "H7"\n\n'
    head, middle, tail = text.partition("vendid")
    file = tmp_path / "fabric.ibnetdiscover"
    file.write_text(head + bare + middle + tail)
    (tmp_path / "tables.lfts").write_text(lfts(ring(3)))
    fabric = read_fabric(tmp_path)
    assert fabric.network.num_terminals == 2
    assert [words.split(",")[0] for words in fabric.assumed] == [
        "1 nodes called Aggregation Node",
        "1 hosts without a cable are taken for none of the fabric: H7",
    ]
    answer = json.loads(CliRunner().invoke(app, ["audit", str(tmp_path), "--json"]).output)
    assert set(fabric.assumed) <= set(answer["notes"])
    file.write_text(text + "\n" + bare.rstrip() + "\n")
    shown = CliRunner().invoke(app, ["audit", str(tmp_path)])
    assert shown.exit_code == 2
    assert "H7 has no cable; is the file cut off?" in shown.output
