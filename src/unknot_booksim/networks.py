"""The networks of BookSim 2 by the keys that describe them, with its numbering of routers, ports and nodes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.errors import near
from unknot.network import Network, grid
from unknot.network.families import butterfly, hyperx, mesh, torus
from unknot_booksim.configuration import Configuration

Channels = npt.NDArray[np.int32]
Links = list[tuple[int, int, int, int]]
"""Source router, its output port, target router and latency of each channel."""
_NO_PORTS: Channels = np.zeros((0, 0), dtype=np.int32)
"""Of networks whose routing asks for no port."""
MOST_ROUTERS, MOST_CHANNELS = 2**16, 2_000_000


@dataclass(frozen=True, eq=False)
class Built:
    """A network as BookSim numbers it.

    Attributes
    ----------
    network : Network
    channel : int32 array, shape (routers, ports)
        Channel that leaves a router by an output port between routers, counted from 0; −1: none.
    k, n, c : int
    """

    network: Network
    channel: Channels
    k: int
    n: int
    c: int = 1


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


def _made(name: str, routers: int, links: Links, inject: Any, eject: Any, k: int, n: int, c: int = 1) -> Built:
    source, port, target, latency = np.array(links, dtype=np.int64).reshape(-1, 4).T
    order = np.lexsort((port, source))
    channel = np.full((routers, int(port.max(initial=0)) + 1), -1, dtype=np.int32)
    channel[source[order], port[order]] = np.arange(order.size)
    channel.setflags(write=False)
    network = Network(
        name=name,
        num_routers=routers,
        source=source[order],
        target=target[order],
        latency=latency[order] if order.size else 1,
        inject=np.array(inject),
        eject=np.array(eject),
    )
    return Built(network, channel, k, n, c)


def _sizes(configuration: Configuration, most_n: int = 20) -> tuple[int, int]:
    """The keys k and n, after a check of the size that they give."""
    k, n = configuration.whole("k", 1), configuration.whole("n", 1, most_n)
    if k**n > MOST_ROUTERS:
        raise configuration.error(
            "n" if "n" in configuration else "k", f"{k}^{n} routers are more than {MOST_ROUTERS}"
        )
    return k, n


def _few(configuration: Configuration, channels: int) -> None:
    """Refuse a network of too many channels."""
    if channels > MOST_CHANNELS:
        name = configuration.text("topology")
        raise configuration.error("k", f"this {name} has {channels} channels; the limit is {MOST_CHANNELS}")


def _unlike_sizes(configuration: Configuration) -> list[int]:
    """Routers in each dimension where `k` is a list, as in forks of BookSim."""
    texts = configuration.values("k")
    if not all(text.isdecimal() and len(text) < 6 for text in texts):
        raise configuration.error("k", f"whole numbers are needed, not {configuration.text('k')[:40]}")
    if "n" in configuration and configuration.whole("n") != len(texts):
        raise configuration.error("k", f"{len(texts)} sizes are given for n = {configuration.text('n')} dimensions")
    configuration.warn("k", "a size for each dimension is of forks of BookSim")
    return [int(text) for text in texts]


def _cube(configuration: Configuration) -> Built:
    listed = configuration.text("k").startswith("{")
    sizes = _unlike_sizes(configuration) if listed else [k for k, n in [_sizes(configuration)] for _ in range(n)]
    k, n = min(sizes, default=0), len(sizes)
    kind = configuration.text("topology")
    if k < 2:
        raise configuration.error("k", f"a {kind} has at least 2 routers in each dimension, got {k}")
    if math.prod(sizes) > MOST_ROUTERS:
        raise configuration.error("k", f"{math.prod(sizes)} routers are more than {MOST_ROUTERS}")
    _few(configuration, 2 * n * math.prod(sizes))
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
    built = _made(f"torus({', '.join([str(k)] * n)})", routers, links, range(routers), range(routers), k, n)
    coordinates = (np.arange(routers)[:, None] >> np.arange(n)) & 1
    network = replace(built.network, coordinates=coordinates, radices=(2,) * n)
    return replace(built, network=network, channel=grid(network).channel)


def _fly(configuration: Configuration) -> Built:
    k, n = _sizes(configuration)
    _few(configuration, n * k**n)
    return Built(butterfly(k, n), _NO_PORTS, k, n)


def _fattree(configuration: Configuration) -> Built:
    k, n = _sizes(configuration)
    _few(configuration, 2 * n * k**n)
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
    return _made(f"fattree({k}, {n})", n * places, links, home, home, k, n)


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
    return _made("qtree(4, 3)", 21, links, home, home, 4, 3)


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
    return _made("tree4(4, 3)", 28, links, home, home, 4, 3)


def _cmesh(configuration: Configuration) -> Built:
    k, n = _sizes(configuration, 2)
    c, x, y, xr, yr = (configuration.whole(key) for key in ("c", "x", "y", "xr", "yr"))
    if n != 2 or k % 2 or k < 2:
        raise configuration.error("n" if n != 2 else "k", "cmesh wants n = 2 and an even k")
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
        for port, (edge, express, beside) in enumerate(ends):
            length = (k if edge else 2) if noc else 1
            links.append((router, port, express if edge else beside, length))
    nodes = np.arange(4 * k * k)
    home = nodes // (2 * k) // 2 * k + nodes % (2 * k) // 2
    return _made(f"cmesh({k}, {k})", k * k, links, home, home, k, n, c)


def _flatfly(configuration: Configuration) -> Built:
    k, n = _sizes(configuration, 4)
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
    _few(configuration, n * k ** (n + 1))
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
        latency=np.where(noc, distance, 1).astype(np.int32),
        inject=home,
        eject=home,
        coordinates=None,
        radices=(),
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
    _few(configuration, a * groups * (a - 1 + p))
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
    return _made(f"dragonflynew({p})", a * groups, links, home, home, p, 1, p)


def _anynet(configuration: Configuration) -> Built:
    from unknot_booksim.anynet import read_booksim

    network = read_booksim(configuration.file("network_file"))
    return Built(network, _NO_PORTS, 0, 0)


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
