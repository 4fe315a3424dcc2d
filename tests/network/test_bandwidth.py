"""Bandwidths of channels: what is taken, files, descriptions, loads, bounds, drawings."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import networks
from unknot import fabrics
from unknot._base.errors import NetworkError, TextError
from unknot.network import Network, from_edges, from_networkx, measure, tod
from unknot.network.bandwidth import LARGEST, fraction, rounded
from unknot.network.families import mesh, ring
from unknot.network.graph import digest
from unknot.report import draw_load, draw_network
from unknot.routing import dimension_order, fully_adaptive
from unknot.verify import loads
from unknot.verify.best_split import best_loads
from unknot_collectives.platform import platform_of

RATES = st.builds(Fraction, st.integers(1, LARGEST), st.integers(1, LARGEST))


@st.composite
def fast_and_slow(draw: st.DrawFn) -> Network:
    network = draw(networks(max_routers=5, max_channels=8, strongly_connected=None))
    return network.with_bandwidth([draw(RATES) for _ in range(network.num_channels)])


@given(RATES, st.integers(1, 10**9), st.integers(1, 10**9))
def test_what_is_measured_becomes_a_bandwidth_that_is_taken(rate: Fraction, above: int, below: int) -> None:
    assert rounded(rate) == rate
    near = rounded(Fraction(above, below))
    assert max(near.numerator, near.denominator) <= LARGEST
    assert near > 0
    inside = min(max(Fraction(above, below), Fraction(1, LARGEST)), Fraction(LARGEST))
    assert abs(near - inside) <= max(Fraction(1, LARGEST), inside / LARGEST)


@given(RATES)
def test_fractions_are_kept(rate: Fraction) -> None:
    for stated in (rate, str(rate), float(rate)):
        assert {fraction(kept) for kept in ring(3).with_bandwidth(stated).bandwidth.tolist()} == {rate}


@pytest.mark.parametrize(
    "stated", [0, -1, "x", "1/0", True, None, float("nan"), 1001, "1/1001", 0.12345678, "", [[1]]]
)
def test_no_bandwidths(stated: Any) -> None:
    with pytest.raises(NetworkError, match="must be a number of flits per cycle"):
        ring(3).with_bandwidth(stated)


def test_one_for_each_channel() -> None:
    with pytest.raises(NetworkError, match="2 bandwidths for 6 channels"):
        ring(3).with_bandwidth([1, 2])
    mixed = ring(3).with_bandwidth([1, "1/2", 2, 1, 1, 3])
    assert mixed.bandwidth.tolist() == [1, 0.5, 2, 1, 1, 3]
    assert mixed.without(channels=[0, 2]).bandwidth.tolist() == [0.5, 1, 1, 3]
    assert mixed != ring(3)
    assert mixed.with_bandwidth(1) == ring(3)
    assert not mixed.bandwidth.flags.writeable
    assert measure(mixed).bandwidths == {"1/2": 1, "1": 3, "2": 1, "3": 1}
    assert measure(ring(3)).bandwidths is None


def test_equal_ones_change_no_digest() -> None:
    """A digest names results kept on disk."""
    assert digest(ring(4)) == "509d563343c535638ee207fc007855368e38e939f3c1868976f2c0fdf2fd8b1f"
    assert digest(ring(4).with_bandwidth(2)) != digest(ring(4))


@settings(max_examples=6)
@given(fast_and_slow())
def test_files_keep_them(tmp_path_factory: pytest.TempPathFactory, network: Network) -> None:
    assert from_networkx(network.to_networkx()) == network
    for name in ("graphml", "gml", "json"):
        path = tmp_path_factory.mktemp(name) / f"net.{name}"
        form = fabrics.FORMATS[name]
        assert form.write is not None
        form.write(network, path)
        assert form.read(path) == network


def test_edge_lists_and_formats_without_bandwidths(tmp_path: Path) -> None:
    rows: list[Any] = [("a", "b", 2, "1/4"), ("b", "c"), ("c", "a", 1, 3)]
    network = from_edges(rows)
    path = tmp_path / "net.edges"
    fabrics.FORMATS["edges"].write(network, path)  # type: ignore[misc]
    assert "a -> b 2 1/4" in path.read_text()
    assert fabrics.FORMATS["edges"].read(path) == network
    assert fabrics.FORMATS["ibsim"].dropped(ring(3).with_bandwidth(2)) == ["bandwidths", "coordinates"]
    for name in ("booksim", "garnet"):
        with pytest.raises(
            NetworkError, match=r"a→b of edges passes 1/4 flits per cycle; .* of one flit per cycle only"
        ):
            fabrics.FORMATS[name].write(network, tmp_path / "net.py")  # type: ignore[misc]
    text = tmp_path / "net.gml"
    text.write_text('graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 bandwidth "10 Gbps" ] ]')
    with pytest.raises(TextError, match=r"bandwidth of edge .* must be a number of flits per cycle"):
        fabrics.FORMATS["gml"].read(text)


DESCRIBED = {
    "ring(4, bandwidth=2)": {2.0: 8},
    'ring(4, bandwidth="1/4") * line(2)': {0.25: 16, 1.0: 8},
    'bandwidth(mesh(2, 2), "3/2")': {1.5: 8},
    "step(ring(8, bandwidth=4), 3)": {4.0: 16},
    "forward(ring(4, bandwidth=3)) * line(2)": {1.0: 8, 3.0: 16},
    "strong(ring(4, bandwidth=4), line(2, bandwidth=2))": {2.0: 24, 4.0: 16},
    "lexicographic(line(2, bandwidth=3), line(2))": {1.0: 4, 3.0: 8},
    "right_equal(line(2), line(2))": {1.0: 4},
    "ring(4, bandwidth=3)[line(2)]": {1.0: 8, 3.0: 8},
    "join(line(2), line(2, bandwidth=5), bandwidth=7)": {1.0: 2, 5.0: 2, 7.0: 8},
    "line(3, bandwidth=2) | line(3) | ring(3)": {1.0: 2, 2.0: 4},
    "hyperx([4, 4], bandwidth=5)": {5.0: 96},
    "latency(ring(4, bandwidth=2), 3)": {2.0: 8},
    "undirected(bandwidth({0 -> 1}, 6))": {6.0: 2},
}


@pytest.mark.parametrize("text", DESCRIBED)
def test_descriptions(text: str) -> None:
    rates, counts = np.unique(tod.network(text).bandwidth, return_counts=True)
    assert dict(zip(rates.tolist(), counts.tolist(), strict=True)) == DESCRIBED[text]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ring(4, bandwidth=0)", 'ring: bandwidth must be a bandwidth in flits per cycle, such as 2 or "1/4"'),
        ('hyperx([4, 4], bandwidth="x")', "hyperx: bandwidth must be"),
        ("ring(4, bandwidth=1/4)", 'write // to divide, or a bandwidth as "1/4"'),
        ("terminals(ring(4), 2, bandwidth=1)", "terminals has no option bandwidth"),
    ],
)
def test_descriptions_that_are_wrong(text: str, message: str) -> None:
    with pytest.raises(TextError, match=message):
        tod.network(text)


def test_loads_are_shares_of_bandwidth() -> None:
    """A line of 4: the middle carries most flits, but an end that is slow limits the throughput."""
    network = mesh(4)
    plain = loads(dimension_order(network))
    ends = [network.router_name(int(r)) for r in network.source]
    slow = loads(dimension_order(network.with_bandwidth([0.5 if end == "(0)" else 4 for end in ends])))
    assert slow.channel.tolist() == plain.channel.tolist()
    assert (plain.highest, slow.highest) == (1.0, 0.75 / 0.5)
    assert slow.throughput == pytest.approx(2 / 3)
    assert slow.busiest == ends.index("(0)")


def test_the_best_split_fills_ways_by_their_bandwidth() -> None:
    """From corner to corner of a square: three parts over the way that is three times as wide."""
    network = mesh(2, 2)
    wide = [3 if {int(a), int(b)} & {1} else 1 for a, b in zip(network.source, network.target, strict=True)]
    best = best_loads(fully_adaptive(network.with_bandwidth(wide)), [3, -1, -1, -1])
    assert best.highest == pytest.approx(0.25)
    assert sorted(best.channel.round(6).tolist())[-4:] == pytest.approx([0.25, 0.25, 0.75, 0.75])


def test_platforms_and_drawings() -> None:
    network = ring(4).with_bandwidth(["1/3", *[2] * 7])
    assert [c.bandwidth for c in platform_of(network).channels[:2]] == [Fraction(1, 3), Fraction(2)]
    drawing = draw_network(network).text
    assert "1/3 flits/cycle" in drawing
    assert draw_network(ring(4).with_bandwidth(2)).text.replace("bandwidth", "") == draw_network(ring(4)).text
    shares = draw_load(network, network.bandwidth * 0.5).text
    assert "busiest channel 0.5 of its bandwidth" in shares
