"""Structures that networks were built for, recognised from their cables alone, though some are missing or wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from unknot._base.arrays import Ints
from unknot.network.recognised.links import CableCounts

Kind = Literal["fat tree", "dragonfly", "dragonfly+", "torus", "mesh", "hypercube", "HyperX", "none"]
"""What networks are built as; ``none``: nothing that is known here."""


@dataclass(frozen=True)
class Difference:
    """Cables that a structure has and a network lacks, or the reverse.

    Attributes
    ----------
    near, far : tuple of int
        The routers at the two ends; several where any of them may be meant.
    count : int
        Cables: positive where they are missing, negative where they are too many.
    part : str
        The cables of the structure that these belong to, such as ``levels 0 and 1``; empty for none.
    by_group : bool
        Whether the groups of the ends are meant, and the routers are those that come into question.

    Examples
    --------
    >>> from unknot.network.families import torus
    >>> from unknot.network.recognised import recognised
    >>> recognised(torus(5, 6).without(links=[(0, 1)])).differences
    (Difference(near=(0,), far=(1,), count=1, part='dimension 0', by_group=False),)
    """

    near: tuple[int, ...]
    far: tuple[int, ...]
    count: int
    part: str = ""
    by_group: bool = False


@dataclass(frozen=True, eq=False)
class Structure:
    """What a network was built as.

    Attributes
    ----------
    kind : str
        One of ``fat tree``, ``dragonfly``, ``dragonfly+``, ``torus``, ``mesh``, ``hypercube``, ``HyperX`` and
        ``none``.
    words : str
        The structure with its sizes.
    differences : tuple of Difference
        Cables that are missing or too many.
    parts : dict of str to int
        Cables of each part of the whole structure, nothing missing.
    level : int64 array, shape (routers,), or None
        Level of each router above the terminals, of a fat tree and of a dragonfly+.
    group : int64 array, shape (routers,), or None
        Group of each router, of dragonflies; of a fat tree the block of its lowest two levels, −1 above.
    coordinates : int64 array, shape (routers, dimensions), or None
        Place of each router in a torus, mesh, hypercube or HyperX.
    radices : tuple of int
        Positions in each dimension.
    remarks : tuple of str
        Parts that are smaller than others, and what else is odd about the whole.

    Examples
    --------
    >>> from unknot.network.families import hypercube
    >>> from unknot.network.recognised import recognised
    >>> recognised(hypercube(3)).radices
    (2, 2, 2)
    """

    kind: Kind
    words: str
    differences: tuple[Difference, ...] = ()
    parts: dict[str, int] = field(default_factory=dict)
    level: Ints | None = None
    group: Ints | None = None
    coordinates: Ints | None = None
    radices: tuple[int, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def is_known(self) -> bool:
        """Whether there is a structure."""
        return self.kind != "none"


NONE = Structure("none", "no structure that is known")
WORST = 0.2
"""Share of the cables that may be missing or too many; with more, a network was not built so."""


def wrong(differences: tuple[Difference, ...], links: CableCounts) -> float:
    """Return the missing and superfluous cables as a share of all."""
    return sum(abs(one.count) for one in differences) / max(links.total, 1)


def differences(links: CableCounts, near: Ints, far: Ints, count: Ints, part: list[str]) -> tuple[Difference, ...]:
    """Compare cables with those that a structure has.

    Parameters
    ----------
    links : CableCounts
    near, far, count : int64 array
        Pairs of routers that the structure joins, the lower first, and by how many cables.
    part : list of str
        Part of the structure that each pair belongs to.
    """
    key = links.near * links.routers + links.far
    wanted = near * links.routers + far
    every, place = np.unique(np.concatenate([key, wanted]), return_inverse=True)
    short = np.zeros(every.size, dtype=np.int64)
    np.subtract.at(short, place[: key.size], links.count)
    np.add.at(short, place[key.size :], count)
    part_of = dict(zip(wanted.tolist(), part, strict=True))
    rows = np.flatnonzero(short)
    ends = (divmod(pair, links.routers) for pair in every[rows].tolist())
    pairs = zip(ends, every[rows].tolist(), short[rows].tolist(), strict=True)
    return tuple(Difference((a,), (b,), lacks, part_of.get(pair, "")) for (a, b), pair, lacks in pairs)
