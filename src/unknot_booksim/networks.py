"""The networks of BookSim 2 by the keys that describe them, with its numbering of routers, ports and nodes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from unknot._base.errors import near
from unknot.network import grid
from unknot.network.families import butterfly, hyperx, mesh, torus
from unknot_booksim.built import MOST_ROUTERS, NO_PORTS, Built, Links, few, made, sizes_of
from unknot_booksim.configuration import Configuration


def build(configuration: Configuration) -> Built:
    """The network of a configuration.

    Raises
    ------
    UnknotError
        If there is no such topology, or its keys do not fit it.
    """
    topology = configuration.text("topology")
    if topology not in _BUILDERS:
        raise configuration.error("topology", f"there is no topology {topology!r}; {near(topology, _BUILDERS)}")
    return _BUILDERS[topology](configuration)


def _unlike_sizes(configuration: Configuration) -> list[int]:
    """Routers in each dimension where `k` is a list, as in forks of BookSim."""
    texts = configuration.values("k")
    if not all(text.isdecimal() and len(text) < 6 for text in texts):
        raise configuration.error("k", f"whole numbers are needed, not {configuration.text('k')[:40]}")
    if "n" in configuration and configuration.whole("n") != len(texts):
        raise configuration.error("k", f"{len(texts)} sizes are given for n = {configuration.text('n')} dimensions")
    configuration.warn("k", "a size for each dimension is of forks of BookSim")
    return [int(text) for text in texts]


def _layers(configuration: Configuration, given: list[str]) -> list[int]:
    """Routers in each of three dimensions by keys of their own, as in a fork of BookSim."""
    if configuration.whole("n") != 3:
        raise configuration.error(given[0], f"k0, k1 and k2 are for n = 3, not n = {configuration.text('n')}")
    configuration.text("k")
    configuration.warn(given[0], "a size for each dimension is of forks of BookSim, and k is not read")
    return [configuration.whole(key, 1, 1000) for key in ("k0", "k1", "k2")]


def _cube(configuration: Configuration) -> Built:
    listed = configuration.text("k").startswith("{")
    layers = [key for key in ("k0", "k1", "k2") if key in configuration]
    if layers:
        sizes = _layers(configuration, layers)
    else:
        k, n = (0, 0) if listed else sizes_of(configuration)
        sizes = _unlike_sizes(configuration) if listed else [k] * n
    k, n = min(sizes, default=0), len(sizes)
    kind = configuration.text("topology")
    if k < 2:
        raise configuration.error("k", f"a {kind} has at least 2 routers in each dimension, got {k}")
    if math.prod(sizes) > MOST_ROUTERS:
        raise configuration.error("k", f"{math.prod(sizes)} routers are more than {MOST_ROUTERS}")
    few(configuration, 2 * n * math.prod(sizes))
    latency = 2 if kind == "torus" and configuration.whole("use_noc_latency") == 1 else 1
    if kind == "mesh" or k > 2:
        make = mesh if kind == "mesh" else torus
        network = make(*sizes, latency=latency)
        return Built(network, grid(network).channel, k, n)
    if max(sizes) > 2:
        raise configuration.error("k", "a torus with 2 routers in one dimension has 2 in each, or at least 3")
    routers = 2**n
    links = [
        (node, 2 * i + way, node ^ (1 << i), latency) for node in range(routers) for i in range(n) for way in (0, 1)
    ]
    built = made(f"torus({', '.join([str(k)] * n)})", routers, links, range(routers), range(routers), k, n)
    coordinates = (np.arange(routers)[:, None] >> np.arange(n)) & 1
    network = replace(built.network, places=replace(built.network.places, coordinates=coordinates, radices=(2,) * n))
    return replace(built, network=network, channel=grid(network).channel)


def _fly(configuration: Configuration) -> Built:
    k, n = sizes_of(configuration)
    few(configuration, n * k**n)
    return Built(butterfly(k, n), NO_PORTS, k, n)


def _fattree(configuration: Configuration) -> Built:
    k, n = sizes_of(configuration)
    few(configuration, 2 * n * k**n)
    places = k ** (n - 1)
    nodes = np.arange(k**n)
    links: Links = []
    for level in range(n - 1):
        near_by, branch = k ** (n - 1 - level), k ** (n - 2 - level)
        for at in range(places):
            first, inside = at // near_by * near_by, at % near_by
            for port in range(k):
                # Router `at` of the level reads this link from below, and the one below likewise from above.
                link = first * k + port * branch * k + inside % branch * k + inside // branch
                below, above = (level + 1) * places, level * places
                links.append((below + link // k, k + link % k, above + at, 1))
                links.append((above + link // k, link % k, below + at, 1))
    home = (n - 1) * places + nodes // k
    return made(f"fattree({k}, {n})", n * places, links, home, home, k, n)


def _four_ary(configuration: Configuration) -> None:
    """Refuse sizes that BookSim's trees of 64 nodes do not have."""
    words = f"{configuration.text('topology')} wants k = 4 and n = 3, in BookSim too"
    if wrong := [key for key, right in (("k", 4), ("n", 3)) if configuration.whole(key) != right]:
        raise configuration.error(wrong[0], words)


def _qtree(configuration: Configuration) -> Built:
    """A tree of 21 routers with four children each: the root, then each level from left to right."""
    _four_ary(configuration)
    links: Links = []
    for child in range(1, 21):
        parent, place = (child - 1) // 4, (child - 1) % 4
        links += [(parent, place, child, 1), (child, 4, parent, 1)]
    home = 5 + np.arange(64) // 4
    return made("qtree(4, 3)", 21, links, home, home, 4, 3)


def _tree4(configuration: Configuration) -> Built:
    """Two fat levels above 16 routers with four nodes each: 4 routers, then 8, then 16."""
    _four_ary(configuration)
    links: Links = []
    for middle in range(8):
        for port in range(4):
            leaf = 12 + middle // 2 * 4 + port
            links += [(4 + middle, port, leaf, 1), (leaf, 4 + middle % 2, 4 + middle, 1)]
            links += [(4 + middle, 4 + port, port, 1), (port, middle, 4 + middle, 1)]
    home = 12 + np.arange(64) // 4
    return made("tree4(4, 3)", 28, links, home, home, 4, 3)


def _cmesh(configuration: Configuration) -> Built:
    k, n = sizes_of(configuration, 2)
    c, x, y, xr, yr = (configuration.whole(key) for key in ("c", "x", "y", "xr", "yr"))
    # Between an odd number of routers express channels of BookSim lead to one place twice, and from one nowhere.
    express = not configuration.text("routing_function").endswith("_no_express")
    if n != 2 or k < 2 or (k % 2 and express):
        words = "cmesh wants n = 2 and an even k, or a routing function without express channels"
        raise configuration.error("n" if n != 2 else "k", words)
    if (c, xr, yr) != (4, 2, 2):
        wrong = "c" if c != 4 else "xr" if xr != 2 else "yr"
        raise configuration.error(wrong, "cmesh wants c = 4, xr = 2 and yr = 2, in BookSim too")
    if x != y:
        raise configuration.error("x", f"cmesh wants x = y, got {x} and {y}; BookSim stops there")
    noc = configuration.whole("use_noc_latency") == 1
    links: Links = []
    for router in range(k * k):
        column, row = router % k, router // k
        across, upward = (column + k // 2) % k, (row + k // 2) % k
        ends = (
            (column == k - 1, upward * k + column, router + 1),
            (column == 0, upward * k + column, router - 1),
            (row == k - 1, row * k + across, router + k),
            (row == 0, row * k + across, router - k),
        )
        for port, (edge, far, beside) in enumerate(ends):
            length = (k if edge else 2) if noc else 1
            if not (edge and k % 2):
                links.append((router, port, far if edge else beside, length))
    nodes = np.arange(4 * k * k)
    home = nodes // (2 * k) // 2 * k + nodes % (2 * k) // 2
    return made(f"cmesh({k}, {k})", k * k, links, home, home, k, n, c)


def _flatfly(configuration: Configuration) -> Built:
    k, n = sizes_of(configuration, 4)
    c, x, y, xr, yr = (configuration.whole(key, 1) for key in ("c", "x", "y", "xr", "yr"))
    if x != y or xr != yr:
        wrong = "x" if x != y else "xr"
        raise configuration.error(wrong, "flatfly wants x = y and xr = yr; BookSim stops there")
    if c != xr * yr or k**n % x:
        wrong = "c" if c != xr * yr else "x"
        raise configuration.error(
            wrong,
            f"flatfly wants c = xr · yr, and k^n routers in whole rows of x; got {c} and {xr} · {yr}, {k}^{n} and "
            f"{x}; BookSim numbers nodes there that do not exist",
        )
    few(configuration, n * k ** (n + 1))
    noc = configuration.whole("use_noc_latency") == 1
    if noc and xr > 3:
        raise configuration.error(
            "xr", "channels to terminals of more than a cycle are not built; set use_noc_latency=0"
        )
    network = hyperx([k] * n)
    source, target = network.source, network.target
    distance = xr * abs(source % x - target % x) + yr * abs(source // x - target // x)
    nodes = np.arange(c * k**n)
    home = nodes // (x * xr) // yr * x + nodes % (x * xr) // xr
    network = replace(
        network,
        name=f"flatfly({k}, {n}, c={c})",
        inject=home,
        eject=home,
        wires=replace(network.wires, latency=np.where(noc, distance, 1).astype(np.int32)),
        places=replace(network.places, coordinates=None, radices=()),
    )
    channel = np.arange(network.num_channels, dtype=np.int32).reshape(k**n, n * (k - 1))
    channel.setflags(write=False)
    return Built(network, channel, k, n, c)


def _dragonfly(configuration: Configuration) -> Built:
    p, n = configuration.whole("k", 1, 64), configuration.whole("n")
    if n != 1:
        raise configuration.error("n", f"dragonflynew wants n = 1, in BookSim too, got {n}")
    a = 2 * p
    groups = a * p + 1
    few(configuration, a * groups * (a - 1 + p))
    links: Links = []
    for group in range(groups):
        for inside in range(a):
            router = group * a + inside
            for port in range(a - 1):
                links.append((router, port, group * a + port + (port >= inside), 10))
            for port in range(p):
                way = inside * p + port
                far = way + (way >= group)
                back = group - (group > far)
                links.append((router, a - 1 + port, far * a + back // p, 100))
    home = np.arange(a * p * groups) // p
    return made(f"dragonflynew({p})", a * groups, links, home, home, p, 1, p)


def _anynet(configuration: Configuration) -> Built:
    from unknot_booksim.anynet import read_booksim

    network = read_booksim(configuration.file("network_file"))
    return Built(network, NO_PORTS, configuration.whole("anynet_cols", 0), 0)


_BUILDERS: dict[str, Callable[[Configuration], Built]] = {
    "mesh": _cube,
    "torus": _cube,
    "fly": _fly,
    "fattree": _fattree,
    "qtree": _qtree,
    "tree4": _tree4,
    "cmesh": _cmesh,
    "flatfly": _flatfly,
    "dragonflynew": _dragonfly,
    "anynet": _anynet,
}
