"""Tori, meshes, hypercubes and HyperX: products of rings, lines and cliques.

The neighbours of a router show the factors: two in one clique are joined, two along a ring have no other common
neighbour, two of different factors have one. What most routers show is taken, and routers are placed from one of
those on (`matching`). A ring of three is a clique, a ring of four the product of two cliques of two.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice, permutations

import numpy as np

from unknot._base.arrays import Ints
from unknot._base.phrases import count
from unknot.network.recognised.links import CableCounts, usual
from unknot.network.recognised.matching import placed
from unknot.network.recognised.structure import NONE, WORST, Kind, Structure, differences, wrong

RING, LINE, CLIQUE = "ring", "line", "clique"
SIGNATURES = 4
"""Commonest sets of factors around a router that are tried: every missing cable spoils those of several routers."""
STARTS = 16
"""Routers that are tried as the first."""
SURE = 0.03
"""Share of missing and wrong cables below which no other product is looked for."""
SPARE = 2
"""Routers that may be missing from the whole."""
MOST_DIMENSIONS = 16
Factor = tuple[str, int]
"""Shape and positions of a dimension."""


@dataclass(frozen=True)
class Whole:
    """A whole product: its places, and those beside each in every dimension."""

    factors: tuple[Factor, ...]

    @cached_property
    def steps(self) -> list[list[list[int]]]:
        """Places beside each place, by dimension."""
        sides = [size for _, size in self.factors]
        weight = [math.prod(sides[:d]) for d in range(len(sides))]
        rows = []
        for place in range(math.prod(sides)):
            row = []
            for (shape, size), unit in zip(self.factors, weight, strict=True):
                here = place // unit % size
                row.append([place + (there - here) * unit for there in _beside(shape, size, here)])
            rows.append(row)
        return rows

    @cached_property
    def beside(self) -> list[list[int]]:
        """Places beside each place."""
        return [[place for dimension in row for place in dimension] for row in self.steps]

    @cached_property
    def pairs(self) -> tuple[Ints, Ints, Ints]:
        """Both places and the dimension of every pair, the lower place first."""
        rows = [
            (place, other, d)
            for place, row in enumerate(self.steps)
            for d, dimension in enumerate(row)
            for other in dimension
            if place < other
        ]
        return tuple(np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))  # type: ignore[return-value]


def _beside(shape: str, size: int, here: int) -> list[int]:
    if shape == CLIQUE:
        return [there for there in range(size) if there != here]
    if shape == RING:
        return [(here + 1) % size, (here - 1) % size]
    return [there for there in (here + 1, here - 1) if 0 <= there < size]


def product_of(links: CableCounts) -> Structure:
    """Recognise a torus, mesh, hypercube or HyperX."""
    if not links.near.size or links.routers < 4:
        return NONE
    shown = [_around(links.neighbours, router) for router in range(links.routers)]
    counts = Counter(tuple(sorted(map(_size, one))) for one in shown)
    tried = [_from_signature(links, signature, shown) for signature, _ in counts.most_common(SIGNATURES)]
    tried.insert(2, _meshes(links))
    return _best(links, chain.from_iterable(tried))


def _best(links: CableCounts, tried: Iterable[Structure]) -> Structure:
    """The structure with fewest differences, or the first with hardly any."""
    best, least = NONE, 1.0
    for one in tried:
        if one.is_known and (share := wrong(one.differences, links)) < least:
            best, least = one, share
        if least < SURE:
            break
    return best


def _size(group: tuple[str, list[int]]) -> tuple[str, int]:
    """A ring has any size, a clique one more than the neighbours in it."""
    shape, members = group
    return (shape, 0) if shape == RING else (shape, len(members) + 1)


def _around(neighbours: list[set[int]], router: int) -> list[tuple[str, list[int]]]:
    """The neighbours of a router by factor: cliques, and the two of each ring."""
    rest = sorted(neighbours[router])
    groups: list[tuple[str, list[int]]] = []
    while rest:
        first = rest[0]
        clique = [other for other in rest if other == first or other in neighbours[first]]
        if len(clique) == 1:
            ring = [o for o in rest[1:] if neighbours[o] & neighbours[first] == {router}]
            if len(ring) == 1:
                clique = [first, ring[0]]
                groups.append((RING, clique))
            else:
                groups.append((CLIQUE, clique))
        else:
            groups.append((CLIQUE, clique))
        rest = [other for other in rest if other not in clique]
    return groups


def _from_signature(
    links: CableCounts, signature: tuple[tuple[str, int], ...], shown: list[list[tuple[str, list[int]]]]
) -> Iterator[Structure]:
    """Place all routers on products of the factors, beginning at routers whose neighbours show all of them."""
    cliques = [size for shape, size in signature if shape == CLIQUE]
    rings = len(signature) - len(cliques)
    if len(signature) > MOST_DIMENSIONS:
        return
    starts = [r for r, one in enumerate(shown) if tuple(sorted(map(_size, one))) == signature]
    starts = starts[:: max(1, len(starts) // STARTS)][:STARTS]
    for routers in range(links.routers, links.routers + SPARE + 1):
        if routers % math.prod(cliques):
            continue
        for sides in _sides(routers // math.prod(cliques), rings, 5):
            whole = Whole((*((CLIQUE, size) for size in cliques), *((RING, size) for size in sides)))
            if abs(whole.pairs[0].size - links.near.size) > WORST * links.near.size:
                continue
            seeds = (seed for start in starts for seed in _seeds(whole, start, shown[start]))
            yield _best(links, (_placed(links, whole, seed) for seed in seeds))


def _sides(number: int, dimensions: int, least: int) -> Iterator[tuple[int, ...]]:
    """All ways to write a number as a product of so many factors, ascending."""
    if not dimensions:
        if number == 1:
            yield ()
        return
    if dimensions == 1:
        if number >= least:
            yield (number,)
        return
    for side in range(least, int(number ** (1 / dimensions)) + 2):
        if number % side == 0:
            yield from ((side, *rest) for rest in _sides(number // side, dimensions - 1, side))


def _seeds(whole: Whole, start: int, groups: list[tuple[str, list[int]]]) -> Iterator[dict[int, int]]:
    """Places of a router and its neighbours, in all orders of rings of different sides."""
    ordered = sorted((group for group in groups if group[0] == CLIQUE), key=lambda group: len(group[1]))
    rings = [group for group in groups if group[0] == RING]
    sides = [size for shape, size in whole.factors if shape == RING]
    seen: set[tuple[tuple[int, int], ...]] = set()
    for order in islice(permutations(range(len(rings))), 24):
        fitted = tuple(sorted(zip(order, sides, strict=True)))
        if fitted in seen:
            continue
        seen.add(fitted)
        seed = {start: 0}
        for (_, members), places in zip([*ordered, *(rings[i] for i in order)], whole.steps[0], strict=True):
            seed.update(zip(members, places, strict=True))
        yield seed


def _meshes(links: CableCounts) -> Iterator[Structure]:
    """Place all routers on meshes, from each corner on."""
    fewest = [len(one) for one in links.neighbours]
    for dimensions in (2, 3):
        starts = [r for r, n in enumerate(fewest) if n == dimensions][:STARTS]
        for routers in range(links.routers, links.routers + SPARE + 1):
            for sides in _sides(routers, dimensions, 3):
                whole = Whole(tuple((LINE, side) for side in sides))
                if abs(whole.pairs[0].size - links.near.size) > WORST * links.near.size:
                    continue
                seeds = (
                    {start: 0} | {other: whole.steps[0][i][0] for other, i in zip(beside, order, strict=True)}
                    for start in starts
                    for beside in (sorted(links.neighbours[start]),)
                    for order in permutations(range(dimensions))
                )
                yield _best(links, (_placed(links, whole, seed) for seed in seeds))


def _placed(links: CableCounts, whole: Whole, seed: dict[int, int]) -> Structure:
    """Place all routers, and compare the cables with those of the whole product; `NONE` where too many differ."""
    place = placed(links.neighbours, whole.beside, seed)
    if len(place) < links.routers:
        return NONE
    router = np.full(len(whole.beside), -1)
    router[list(place.values())] = list(place)
    a, b, dimension = whole.pairs
    here = (router[a] >= 0) & (router[b] >= 0)
    a, b, dimension = router[a[here]], router[b[here]], dimension[here]
    near, far = np.minimum(a, b), np.maximum(a, b)
    there = links.between(near, far)
    per_dimension = np.array([usual(there[(dimension == d) & (there > 0)])[0] for d in range(len(whole.factors))])
    if not per_dimension.all():
        return NONE
    names = [f"dimension {d}" for d in dimension.tolist()]
    found = differences(links, near, far, per_dimension[dimension], names)
    if wrong(found, links) > WORST:
        return NONE
    parts = {f"dimension {d}": int(per_dimension[d] * (dimension == d).sum()) for d in range(per_dimension.size)}
    position = np.array([place[r] for r in range(links.routers)])
    kind, words, radices = _named(whole, per_dimension)
    coordinates = np.stack(np.unravel_index(position, [s for _, s in whole.factors], order="F"), axis=1)
    empty = len(whole.beside) - links.routers
    remarks = (f"{empty} of {len(whole.beside)} switches are missing",) * bool(empty)
    return Structure(
        kind, words, found, parts, coordinates=_joined(coordinates, whole, radices), radices=radices, remarks=remarks
    )


def _named(whole: Whole, per_dimension: Ints) -> tuple[Kind, str, tuple[int, ...]]:
    """The kind of a product, in words, and the sides of its dimensions, two cliques of two being a ring of four."""
    shapes = Counter(shape for shape, _ in whole.factors)
    sides = [size for _, size in whole.factors]
    pairs = sides.count(2)
    kind: Kind
    if shapes[LINE]:
        kind = "mesh"
    elif pairs == len(sides):
        kind = "hypercube"
    elif shapes[RING] and not any(size > 3 for shape, size in whole.factors if shape == CLIQUE):
        kind = "torus"
        if pairs > 1:
            sides = [2] * (pairs % 2) + [4] * (pairs // 2) + [side for side in sides if side != 2]
    else:
        kind = "HyperX"
    shown = f"of {' × '.join(map(str, sides))}"
    if kind == "hypercube":
        shown = f"of {len(sides)} dimensions" + f" (a torus of {' × '.join('4' * (pairs // 2))})" * (pairs % 2 == 0)
    most = sorted(set(per_dimension.tolist()))
    cables = count(most[0], "cable") if len(most) == 1 else f"{most[0]} to {most[-1]} cables"
    name = "ring" if kind == "torus" and len(sides) == 1 else kind
    return kind, f"{name} {shown}; {cables} a pair", tuple(sides)


def _joined(coordinates: Ints, whole: Whole, radices: tuple[int, ...]) -> Ints:
    """Coordinates in the sides of `radices`: those of two cliques of two as positions round a ring of four."""
    sides = [size for _, size in whole.factors]
    if len(radices) == len(sides):
        return coordinates
    twos = [d for d, side in enumerate(sides) if side == 2]
    single = twos[: len(twos) % 2]
    columns = [coordinates[:, d] for d in single]
    for first, second in zip(twos[len(single) :: 2], twos[len(single) + 1 :: 2], strict=True):
        x, y = coordinates[:, first], coordinates[:, second]
        columns.append(np.where(y == 0, x, 3 - x))
    columns += [coordinates[:, d] for d, side in enumerate(sides) if side != 2]
    return np.stack(columns, axis=1)
