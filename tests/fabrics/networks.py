"""Random networks with everything a network can have, and what is left of one in a format."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from tests.networks import in_parts
from tests.strategies import networks
from unknot.network import Network

NAMES = st.text(
    st.characters(exclude_categories=("Cc", "Cs", "Cn", "Zl", "Zp"), exclude_characters="\u0085"),
    min_size=1,
    max_size=6,
)


@st.composite
def decorated(draw: st.DrawFn, names: st.SearchStrategy[str] = NAMES, **options: Any) -> Network:
    """A small network, often with names, coordinates and port numbers."""
    network = draw(
        networks(**{"max_routers": 5, "max_channels": 10, "loops": True, "strongly_connected": None} | options)
    )
    changed: dict[str, Any] = {}
    routers, channels = network.num_routers, network.num_channels
    if draw(st.booleans()):
        changed["router_labels"] = tuple(draw(st.lists(names, min_size=routers, max_size=routers, unique=True)))
    if draw(st.booleans()):
        count = network.num_terminals
        changed["terminal_labels"] = tuple(draw(st.lists(names, min_size=count, max_size=count)))
    if draw(st.booleans()):
        sides = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
        row = st.tuples(*(st.integers(0, side - 1) for side in sides))
        changed["radices"] = tuple(sides)
        changed["coordinates"] = [draw(row) for _ in range(routers)]
        if draw(st.booleans()):
            changed["dimensions"] = tuple(draw(names) for _ in sides)
    if channels and draw(st.booleans()):
        changed["ports"] = [draw(st.tuples(st.integers(0, 40), st.integers(0, 40))) for _ in range(channels)]
    return replace(network, **in_parts(changed, of=network))


def bare(network: Network, **kept: Any) -> Network:
    """Only routers, channels, latencies and terminals."""
    return Network(
        network.name, network.num_routers, network.source, network.target, network.latency,
        inject=network.inject, eject=network.eject, **in_parts(kept),
    )  # fmt: skip


def both_ways(network: Network) -> Network:
    """With a channel back for every channel, and terminals that eject where they inject; no loops."""
    pairs = [(u, v, c) for u, v, c in _rows(network) if u != v]
    rows = [row for u, v, c in pairs for row in ((u, v, c), (v, u, c + 1))]
    return Network(
        network.name,
        network.num_routers,
        [u for u, _, _ in rows],
        [v for _, v, _ in rows],
        [c for _, _, c in rows],
        inject=network.inject,
    )


def without_twins(network: Network) -> Network:
    """The same with one channel at most from one router to another."""
    rows = list({(u, v): c for u, v, c in _rows(network)}.items())
    return Network(
        network.name,
        network.num_routers,
        [u for (u, _), _ in rows],
        [v for (_, v), _ in rows],
        [c for _, c in rows],
        inject=network.inject,
        eject=network.eject,
    )


def _rows(network: Network) -> list[tuple[int, int, int]]:
    return list(zip(network.source.tolist(), network.target.tolist(), network.latency.tolist(), strict=True))
