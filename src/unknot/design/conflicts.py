"""From a deadlock configuration to a clause that every deadlock-free rule fulfils.

One of the permissions on the ways of its messages must go, or one of its blocked headers must be offered an output
that nobody in the configuration holds. Where a header commits to one candidate (non-atomic allocation), only the
first.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from unknot.certificates import Rejected
from unknot.certificates.verdict import Configuration
from unknot.design.frames import Frame
from unknot.design.requirements import Clause
from unknot.design.space import Space, Symmetry, moved


def clause_of(frame: Frame, found: Configuration) -> tuple[Clause, frozenset[int]]:
    """The clause of a configuration, and the permissions that are used or waited for in it.

    Raises
    ------
    Rejected
        If a message goes where no rule of the space leads it.
    """
    space = frame.space
    used: set[int] = set()
    wanted: set[int] = set()
    lacked: set[int] = set()
    held = {vc for message in found.messages for vc in message.held}
    for message in found.messages:
        way = [frame.virtual.total + message.source, *message.lead, *message.held]
        for at, vc in pairwise(way):
            used.add(_permission(frame, at, message.address, vc))
        head = way[-1]
        wants = {_permission(frame, head, message.address, vc) for vc in message.wanted}
        if found.switching == "wormhole-nonatomic":
            used |= wants
            continue
        wanted |= wants
        state = frame.held(head), frame.signs(head, message.address)
        router = int(frame.virtual.router[head])
        for out in space.outs[state]:
            if frame.vc_at[router, out] not in held:
                lacked.add(space.number[(*state, out)])
    clause = tuple(sorted([-1 - i for i in used] + [1 + i for i in lacked], key=abs))
    return clause, frozenset(used | wanted)


def _permission(frame: Frame, at: int, address: int, vc: int) -> int:
    key = frame.held(at), frame.signs(at, address), frame.type_of[vc]
    number = frame.space.number.get(key)
    if number is None:
        name = frame.virtual.name
        raise Rejected(f"no rule leads from {name(at)} to {name(vc)} for address {address}")
    return number


def images(space: Space, clause: Clause, symmetries: Iterable[Symmetry]) -> list[Clause]:
    """A clause under each of some symmetries; what it says of one rule it says of the image of the rule."""
    found: dict[Clause, None] = {}
    for image in symmetries:
        literals = []
        for x in clause:
            number = 1 + space.number[moved(space, image, space.permissions[abs(x) - 1])]
            literals.append(number if x > 0 else -number)
        found[tuple(sorted(literals, key=abs))] = None
    return list(found)
