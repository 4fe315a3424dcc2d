"""Recognition of the structure that a network was built as."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unknot._base.arrays import Ints
from unknot.network.model import Network
from unknot.network.recognised.groups import dragonfly_of, dragonfly_plus_of
from unknot.network.recognised.links import CableCounts
from unknot.network.recognised.products import product_of
from unknot.network.recognised.structure import NONE, Difference, Structure, wrong
from unknot.network.recognised.tiers import fat_tree_of

__all__ = ["Difference", "Structure", "recognised"]


def recognised(network: Network) -> Structure:
    """Recognise what a network was built as, from its cables and the numbers of terminals alone.

    Fat trees, dragonflies, dragonfly+, tori, meshes, hypercubes and HyperX are known, though up to a fifth of their
    cables is missing or wrong. Of several structures that with fewest differences is taken.

    Parameters
    ----------
    network : Network
        With channels both ways.

    Returns
    -------
    Structure
        Its kind is ``none`` where no structure is known.

    Notes
    -----
    Routers × neighbours² time for tori and the like; the square of the leaves for fat trees.

    Examples
    --------
    >>> from unknot.network.families import fat_tree, torus
    >>> recognised(fat_tree(4, 2)).words
    'fat tree of 2 levels: 4 and 4 switches from the leaves up; 1 cable a pair in one block of 4 × 4'
    >>> recognised(torus(5, 6).without(links=[(0, 1)])).words
    'torus of 5 × 6; 1 cable a pair'
    """
    links = CableCounts.of(network)
    if links is None or not links.near.size:
        return NONE
    planes = _planes(links)
    return _of(links) if len(planes) < 2 else _of_planes(links, planes)


def _of(links: CableCounts) -> Structure:
    """Recognise the structure of one plane."""
    tree = fat_tree_of(links)
    found = [one for one in (tree, dragonfly_plus_of(links)) if one.is_known]
    found = found or [one for one in (product_of(links), dragonfly_of(links)) if one.is_known]
    return min(found, key=lambda one: wrong(one.differences, links), default=tree)


LEAST_PLANE = 0.25
"""Least size of a plane, as a share of the largest; smaller parts were cut off."""


def _planes(links: CableCounts) -> list[Ints]:
    """The routers of each plane: parts that no cable joins and that are about as large."""
    from scipy.sparse.csgraph import connected_components

    part = connected_components(links.adjacent, directed=False)[1]
    size = np.bincount(part)
    return [np.flatnonzero(part == one) for one in np.flatnonzero(size >= max(2, LEAST_PLANE * size.max())).tolist()]


def _of_planes(links: CableCounts, planes: list[Ints]) -> Structure:
    """Join what the planes were built as."""
    each = [_of(links.within(routers)) for routers in planes]
    level, group = np.full((2, links.routers), -1)
    told: list[Difference] = []
    parts: dict[str, int] = {}
    remarks: list[str] = []
    for number, (routers, one) in enumerate(zip(planes, each, strict=True), start=1):
        level[routers] = -1 if one.level is None else one.level
        group[routers] = -1 if one.group is None else one.group + group.max() + 1
        for lack in one.differences:
            near, far = (tuple(routers[list(end)].tolist()) for end in (lack.near, lack.far))
            told.append(replace(lack, near=near, far=far, part=lack.part and f"plane {number}, {lack.part}"))
        parts |= {f"plane {number}, {part}": count for part, count in one.parts.items()}
        remarks += [f"plane {number}: {remark}" for remark in one.remarks]
    beside = links.routers - sum(routers.size for routers in planes)
    remarks += [f"{beside} switches are in no plane"] * bool(beside)
    words = list(dict.fromkeys(one.words for one in each))
    numbered = "; ".join(f"plane {number}: {text}" for number, text in enumerate(words, start=1))
    said = f"each a {words[0]}" if len(words) == 1 else numbered
    kind = each[0].kind if all(one.kind == each[0].kind for one in each) else "none"
    return Structure(
        kind, f"{len(planes)} planes, {said}", tuple(told), parts,
        level if (level >= 0).any() else None, group if (group >= 0).any() else None, remarks=tuple(remarks),
    )  # fmt: skip
