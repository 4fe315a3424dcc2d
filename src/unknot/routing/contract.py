"""Parts of the routing contract: candidates and what they may break, claims, decisions and names of addresses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Flags
from unknot._base.errors import RelationError
from unknot._base.switching import SWITCHINGS
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.routing.virtual_channels import VirtualChannels

Out = npt.NDArray[np.int64]
Rule = Callable[[int, int, Any], int]
VC_MASK = (1 << 40) - 1
EJECT = VC_MASK
"""The candidate "leave the network here"."""
TIER = 1 << 40
"""Add `tier * TIER` to a candidate to have it tried after those of lower tiers."""
NO_WAIT = 1 << 48
"""Add to a candidate that a header takes when it is free but never waits for; no effect where headers commit."""

COMPARISONS = ("UGAL-L", "UGAL-L_VC", "UGAL-L_VCH")
"""Variants of UGAL, by the queues they compare (Singh 2005; Kim, Dally, Scott & Abts 2008)."""
IN_ROUTER = 1 + len(COMPARISONS)
"""Number of a comparison in the source router, see `Detour`."""


@dataclass(frozen=True)
class Candidate:
    """A decoded candidate.

    Parameters
    ----------
    vc : int or None
        Output VC; None: ejection.
    tier : int
        Headers prefer the lowest tier that has a free VC.
    waits : bool
        Whether a blocked header waits for it.

    Examples
    --------
    >>> from unknot.network.families import ring
    >>> from unknot.routing import dimension_order
    >>> relation = dimension_order(ring(4))
    >>> relation.candidates(relation.vcs.total + 0, 2)  # at the injection port of terminal 0
    [Candidate(vc=0, tier=0, waits=True)]
    """

    vc: int | None
    tier: int = 0
    waits: bool = True


def decode(entry: int) -> Candidate:
    """Decode one entry written by a rule."""
    vc = entry & VC_MASK
    return Candidate(None if vc == EJECT else vc, (entry >> 40) & 0xFF, not (entry >> 48) & 1)


Step = Callable[[int, int, int, int, Any], int]
"""A rule away from home: besides `at` and `address` it takes the header's router and the one where it ejects."""


def towards_home(virtual: VirtualChannels, step: Step, home: IntArray | None = None) -> Rule:
    """The rule by which a header ejects at the router of its destination, and goes by `step` elsewhere.

    Parameters
    ----------
    home : int array, shape (addresses,), optional
        Where each address ejects; by default addresses are those of the terminals.
    """
    router, homes = virtual.router, virtual.network.eject if home is None else home

    def rule(at: int, address: int, out: Out) -> int:
        here, there = router[at], homes[address]
        if here == there:
            out[0] = EJECT
            return 1
        return step(at, address, here, there, out)

    return rule


ACYCLIC: Final[Mapping[str, bool]] = dict.fromkeys(SWITCHINGS, True)
"""No cycle of dependencies between channels is left, so no technique can deadlock."""
ATOMIC: Final[Mapping[str, bool]] = {"saf": True, "vct": True, "wormhole": True}
"""Claimed where a VC holds flits of one packet at a time; nothing is claimed of non-atomic allocation."""


@dataclass(frozen=True)
class Detour:
    """How a header chooses between its own address and another one in its first router (BookSim 2; UGAL, Singh 2005).

    It compares the flits sent to the output ports where both ways begin whose credits have not come back, and takes
    the other address if its cost is at most that of its own plus `margin`. With look-ahead routing packets choose on
    injection. The other address is the direct one (`Relation.direct`) in the block of its own; without direct
    addresses it is half a block away.

    Parameters
    ----------
    weight : int
        The cost of its own way is its queue times this; 0: both queues count times the hops of their ways.
    margin : int
        In favour of the other address.
    blocks : int
        Blocks of equal length of the addresses (of each message class), in each of which a packet stays.

    Raises
    ------
    RelationError
        If there is no block, or the weight is negative.

    Examples
    --------
    >>> Detour(weight=2, margin=30)
    Detour(weight=2, margin=30, blocks=1)
    """

    weight: int = 0
    margin: int = 0
    blocks: int = 1

    def __post_init__(self) -> None:
        if self.weight < 0 or self.blocks < 1:
            raise RelationError(f"a decision has a weight of at least 0 and at least one block, got {self}")


def terminals_of(name: str, stated: Any, network: Network) -> IntArray:
    """Return `destination` of the relation of this name, checked; RelationError where it is no terminal."""
    terminals = network.num_terminals
    stated = np.arange(terminals) if stated is None else np.asarray(stated)
    if stated.ndim != 1:
        raise RelationError(f"{name}: destination: one terminal for each address is needed, got {stated!r}")
    if stated.size and stated.dtype.kind not in "iu":
        raise RelationError(f"{name}: destination: whole numbers are needed, got {stated.dtype} values")
    destination = np.array(stated, dtype=np.int32)
    if destination.size and (destination.min() < 0 or destination.max() >= terminals):
        at = int(np.flatnonzero((destination < 0) | (destination >= terminals))[0])
        raise RelationError(
            f"{name}: address {at} stands for terminal {destination[at]}, but {network.name} has terminals 0 to "
            f"{terminals - 1}"
        )
    destination.setflags(write=False)
    return destination


def direct_addresses(
    name: str, stated: Any, destination: IntArray, terminals: int, may_use: Flags | None
) -> IntArray:
    """Return `direct` of the relation of this name, checked; RelationError where an address is none that is used."""
    direct = np.array(stated, dtype=np.int32)
    if direct.shape == (terminals,):
        for block in np.unique(direct).tolist():
            if block < 0 or not np.array_equal(destination[block : block + terminals], np.arange(terminals)):
                raise RelationError(f"{name}: direct addresses from {block} on are not of all terminals in order")
        if may_use is None:
            direct.setflags(write=False)
            return direct
        direct = np.add.outer(direct, np.arange(terminals)).astype(np.int32)
    if direct.shape != (terminals, terminals):
        raise RelationError(f"{name}: direct has shape {direct.shape}, wanted ({terminals}, {terminals})")
    legal = (direct >= 0) & (direct < destination.size)
    sources, to = np.nonzero(legal)
    usable = True if may_use is None else may_use[sources, direct[legal]]
    legal[legal] = (destination[direct[legal]] == to) & usable
    for s, d in np.argwhere(~legal & (direct != -1))[:1].tolist():
        raise RelationError(f"{name}: direct[{s}, {d}] is {direct[s, d]}, no address that {s} uses for {d}")
    direct.setflags(write=False)
    return direct


class PairNames(Sequence[str]):
    """Names of addresses ``first * inner + second``, each made when it is read.

    Parameters
    ----------
    outer, inner : int
        Numbers of first and second parts.
    name : callable
        Takes both parts. For pickling, a function of a module or a partial one.

    Examples
    --------
    >>> PairNames(2, 3, "{} in {}".format)[4]
    '1 in 1'
    """

    def __init__(self, outer: int, inner: int, name: Callable[[int, int], str]) -> None:
        self.outer, self.inner, self.name = outer, inner, name

    def __len__(self) -> int:
        return self.outer * self.inner

    def __getitem__(self, index: Any) -> Any:
        return self.name(*divmod(range(len(self))[index], self.inner))


def broken_rules(vcs: VirtualChannels, home: int, at: int, candidates: list[Candidate]) -> Iterator[str]:
    """Yield in words what the candidates of a header break; `home` is the router of its destination."""
    network, router = vcs.network, int(vcs.router[at])
    for candidate in candidates:
        vc = candidate.vc
        if vc is None:
            if not candidate.waits:
                yield "ejection is never blocked, so it cannot be marked NO_WAIT"
            if router != home:
                here, there = network.router_name(router), network.router_name(home)
                yield f"it ejects at router {here}, but the destination is at {there}"
        elif not 0 <= vc < vcs.total:
            yield f"it offers VC {vc}, and {network.name} has {vcs.total} VCs, numbered from 0"
        elif network.source[vcs.channel[vc]] != router:
            yield f"it offers {vcs.name(vc)}, which does not leave router {network.router_name(router)}"
    if candidates and not any(candidate.waits for candidate in candidates):
        yield "a blocked header would wait for nothing; mark a candidate as waited for"
