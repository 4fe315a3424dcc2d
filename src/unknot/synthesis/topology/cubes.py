"""Cubes of nodes whose outer links lead through optical switches, as in pods of tensor processors.

N. P. Jouppi et al., TPU v4: an optically reconfigurable supercomputer for machine learning with hardware support for
embeddings, ISCA 2023. A switch joins the ports of one place on two opposite faces, of all cubes.
"""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Ints
from unknot._base.errors import NetworkError
from unknot.network import Network
from unknot.network.families import mesh
from unknot.synthesis.topology.limits import LinkLimits, Pairs, Switch

MOST_NODES = 4096


def cubes(*sides: int, count: int) -> tuple[Network, LinkLimits]:
    """Return the nodes of cubes, numbered cube by cube, their links within, and the switches between them.

    Parameters
    ----------
    *sides : int
        Nodes of a cube along each axis, at least 3.
    count : int
        Cubes.

    Returns
    -------
    nodes : Network
        Without links.
    limits : LinkLimits
        Links within cubes as required ones, switches, and settings of the switches: plain torus, twisted torus where
        the longest side is twice the shortest, and cubes in turn, an axis further for each place.

    Raises
    ------
    NetworkError
        If there is no cube, a side is shorter than 3, or nodes are too many.

    Examples
    --------
    >>> nodes, limits = cubes(4, 4, 4, count=2)
    >>> nodes.num_routers, len(limits.switches), [name for name, _ in limits.starts]
    (128, 48, ['torus(8, 4, 4)', 'twisted torus(8, 4, 4)', 'cubes in turn'])
    """
    if count < 1:
        raise NetworkError(f"cubes: count is the number of cubes, at least 1; got {count}")
    if min(sides, default=0) < 3 or prod(sides) * count > MOST_NODES:
        raise NetworkError(
            f"cubes: sides of at least 3 nodes and at most {MOST_NODES} nodes are needed, as cubes(4, 4, 4, count=4)"
        )
    cube = mesh(*sides)
    size, places = cube.num_routers, cube.coordinates
    assert places is not None
    first = np.arange(count) * size
    number = {tuple(place): node for node, place in enumerate(places.tolist())}
    inner = np.concatenate([np.stack([cube.source, cube.target], axis=1) + start for start in first])
    switches: list[Switch] = []
    axes = []
    for axis, (node, place) in product(range(len(sides)), enumerate(places.tolist())):
        if place[axis] == sides[axis] - 1:
            opposite = number[(*place[:axis], 0, *place[axis + 1 :])]
            switches.append((tuple((first + node).tolist()), tuple((first + opposite).tolist())))
            axes.append(axis)
    starts = [(name, _joined(switches, [steps[axis] for axis in axes])) for name, steps in _tori(sides, count)]
    turns = [(np.arange(count) + 1 + place % max(1, count - 1)) % count for place in range(len(switches))]
    starts.append(("cubes in turn", _joined(switches, turns)))
    name = f"cubes({', '.join(map(str, sides))}, count={count})"
    links = tuple((int(u), int(v)) for u, v in inner)
    nodes = Network(name, size * count, [], [])
    return nodes, LinkLimits(links, switches=tuple(switches), starts=tuple(starts))


def _joined(switches: list[Switch], settings: list[npt.NDArray[np.int64]]) -> Pairs:
    """Links of switches; a setting names the cube that each port leads to."""
    pairs = zip(switches, settings, strict=True)
    return tuple(
        (u, ends[cube]) for (starts, ends), setting in pairs for u, cube in zip(starts, setting, strict=True)
    )


def _tori(sides: tuple[int, ...], count: int) -> list[tuple[str, list[Ints]]]:
    """Names of tori, and of each axis the cube that follows each cube.

    The cubes are put together as a box that is as even as can be. In a twisted torus a way round a short axis ends
    half a long axis further (J. M. Cámara et al., IEEE TPDS 21(12), 2010).
    """
    many = [range(1, count + 1)] * len(sides)
    boxes = (
        [box for box in product(*many) if prod(box) == count] if count <= 64 else [(count, *[1] * (len(sides) - 1))]
    )
    box = min(boxes, key=lambda one: (sum(a * b for a, b in zip(one, sides, strict=True)), [-a for a in one]))
    long = np.multiply(box, sides)
    at = np.stack(np.unravel_index(np.arange(count), box), axis=1)
    twist = np.where(long == long.max(), np.array(box) // 2, 0)
    name = f"torus({', '.join(map(str, long))})"
    plain: list[Ints] = []
    twisted: list[Ints] = []
    for axis in range(len(sides)):
        following = at + np.eye(len(sides), dtype=np.int64)[axis]
        around = (following[:, axis] == box[axis]) & (long[axis] < long.max())
        for found, moved in ((plain, following), (twisted, following + around[:, None] * twist)):
            found.append(np.ravel_multi_index(tuple((moved % box).T), box).astype(np.int64))
    even = long.max() == 2 * long.min() and (np.array(box)[long == long.max()] % 2 == 0).all()
    return [(name, plain), *[(f"twisted {name}", twisted)] * bool(even)]
