"""Networks of known families for a number of hosts, made of switches with a number of ports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import ceil
from typing import NamedTuple

from unknot._base.calls import apply, parse_call
from unknot._base.errors import NetworkError
from unknot._base.numbers import require_whole
from unknot.network.families.finite_geometry import prime_root


class Fit(NamedTuple):
    """A network by its switches, which are to be few, and its text."""

    switches: int
    text: str


def fitting(hosts: int, ports: int) -> list[str]:
    """Return for each family the network of fewest switches that has room for the hosts, as texts.

    Fat trees without oversubscription and with two hosts for each uplink, dragonflies with as many hosts as global
    links at a switch, HyperX of two dimensions with at most half a side of hosts, Slim Fly and PolarFly with at most
    half as many hosts as links, random regular graphs (Jellyfish) with a third of the ports for hosts, tori of three
    dimensions with one host. A family that has none is left out.

    Parameters
    ----------
    hosts : int
        Least number of hosts.
    ports : int
        Most ports of a switch, to hosts and to other switches.

    Raises
    ------
    NetworkError
        If the numbers are no positive whole numbers, or no family fits.

    Examples
    --------
    >>> fitting(1024, 64)[:3]
    ['xgft([32, 32], [1, 32])', 'xgft([42, 25], [1, 21])', 'dragonfly(32, 16, 16, 2)']
    """
    require_whole("hosts", hosts, 2, error=NetworkError)
    require_whole("ports", ports, 3, error=NetworkError)
    fits = (min(family(hosts, ports), default=None) for family in FAMILIES)
    texts = [fit.text for fit in fits if fit is not None]
    if not texts:
        raise NetworkError(f"no family has {hosts} hosts with switches of {ports} ports: give more ports")
    return texts


def expanded(designs: Sequence[str]) -> list[str]:
    """Return designs, with the networks of `fitting` in place of texts such as ``hosts(1024, ports=64)``.

    Raises
    ------
    UnknotError
        If such a text has other values, or no family fits.

    Examples
    --------
    >>> expanded(["ring(8) by duato", "hosts(10, ports=4)"])
    ['ring(8) by duato', 'xgft([2, 2, 3], [1, 2, 2])', 'random_regular(10, 3, concentration=1)']
    """
    made = list[str]()
    for design in designs:
        wanted = design.strip().startswith("hosts(")
        made += apply(parse_call(design, "DESIGN"), fitting) if wanted else [design]
    return made


def _fat_trees(hosts: int, ports: int, ratio: int = 1) -> Iterator[Fit]:
    up = ports // (1 + ratio)
    down = ratio * up
    leaves = ceil(hosts / down)
    if leaves <= ports:
        yield Fit(leaves + up, f"xgft([{down}, {leaves}], [1, {up}])")
    elif ratio == 1:
        half = ports // 2
        pods = ceil(hosts / half**2)
        if pods <= ports:
            yield Fit(2 * pods * half + half**2, f"xgft([{half}, {half}, {pods}], [1, {half}, {half}])")


def _oversubscribed(hosts: int, ports: int) -> Iterator[Fit]:
    return _fat_trees(hosts, ports, 2)


def _dragonflies(hosts: int, ports: int) -> Iterator[Fit]:
    for h in range(1, (ports + 1) // 4 + 1):
        groups = ceil(hosts / (2 * h * h))
        if 1 < groups <= 2 * h * h + 1:
            yield Fit(2 * h * groups, f"dragonfly({2 * h}, {h}, {h}, {groups})")


def _hyperx(hosts: int, ports: int) -> Iterator[Fit]:
    for side in range(2, ports):
        each = ceil(hosts / side**2)
        if 2 * each <= side and each + 2 * (side - 1) <= ports:
            yield Fit(side**2, f"hyperx([{side}, {side}], {each})")


def _slim_flies(hosts: int, ports: int) -> Iterator[Fit]:
    for q in range(3, ports):
        links, each = (3 * q - (1 if q % 4 == 1 else -1 if q % 4 == 3 else 0)) // 2, ceil(hosts / (2 * q * q))
        if prime_root(q) is not None and 2 * each <= links + 1 and links + each <= ports:
            yield Fit(2 * q * q, f"slim_fly({q}, {each})")


def _polarflies(hosts: int, ports: int) -> Iterator[Fit]:
    for q in range(2, ports):
        switches = q * q + q + 1
        each = ceil(hosts / switches)
        if prime_root(q) is not None and 2 * each <= q + 2 and q + 1 + each <= ports:
            yield Fit(switches, f"polarfly({q}, {each})")


def _random(hosts: int, ports: int) -> Iterator[Fit]:
    each = max(1, ports // 3)
    switches = ceil(hosts / each)
    switches += switches * (ports - each) % 2
    if switches > ports - each >= 3:
        yield Fit(switches, f"random_regular({switches}, {ports - each}, concentration={each})")


def _tori(hosts: int, ports: int) -> Iterator[Fit]:
    side = max(3, round(hosts ** (1 / 3)))
    if ports >= 7:
        for a in range(max(3, side - 2), side + 3):
            for b in range(a, a + 3):
                yield Fit(a * b * max(b, ceil(hosts / (a * b))), f"torus({a}, {b}, {max(b, ceil(hosts / (a * b)))})")


FAMILIES: tuple[Callable[[int, int], Iterator[Fit]], ...] = (
    _fat_trees, _oversubscribed, _dragonflies, _hyperx, _slim_flies, _polarflies, _random, _tori,
)  # fmt: skip
"""Functions that yield the networks of a family."""
