"""The rule of a named routing, read from small meshes and compared on others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from unknot._base.deadline import NEVER, Deadline
from unknot._base.errors import RelationError
from unknot._base.work import spend
from unknot.network.families import mesh
from unknot.network.grid import grid
from unknot.routing.named import routing as routing_of
from unknot.routing.relation import Relation
from unknot.routing.tabulate import tabulate
from unknot.synthesis.offers import types_of
from unknot.synthesis.rule import Rule
from unknot.synthesis.space import Signs, Space, State, shown

MOST_STATES = 40_000
"""Pairs of an input VC and an address of a mesh up to which an algorithm is read from it."""


ANSWER = 2e-5
"""Work of a question to an algorithm."""


LARGEST = 8
"""Longest sides on which verdicts are sought where there is no proof for every size."""


class NotUniform(RelationError):  # noqa: N818
    """Error: answers of an algorithm depend on more than the type of VC and the remaining directions."""


def rule_of(routing: str, read: tuple[tuple[int, ...], ...], deadline: Deadline = NEVER) -> Rule:
    """The permissions of an algorithm, as it answers on meshes of given sides.

    Raises
    ------
    TimeoutError
        If time runs out.
    NotUniform
        If it does not answer by the type of VC and the signs of what remains, is not minimal, numbers VCs otherwise
        at some routers, or leads to states that none of the meshes shows.
    """
    answers: dict[State, dict[int, bool]] = {}
    space: Space | None = None
    for sides in read:
        relation = mesh_relation(sides, routing)
        counts = _counts(relation, len(sides))
        if space is not None and counts != space.counts:
            raise NotUniform(f"{routing} has other VCs on {relation.network.name} than on smaller meshes")
        space = Space(counts)
        for state, outs, place in _answers(relation, space):
            spend(ANSWER)
            if deadline.over:
                raise TimeoutError
            if answers.setdefault(state, outs) != outs:
                raise NotUniform(
                    f"{routing} depends on the position: in {space.name(state[0])} with {shown(state[1])} left it "
                    f"offers {_names(space, outs)} at {place}, and elsewhere {_names(space, answers[state])}"
                )
    if space is None:
        raise NotUniform("no mesh is small enough to read the algorithm from")
    offers, waits = (np.zeros(len(space.permissions), dtype=bool) for _ in range(2))
    for (held, signs), outs in answers.items():
        for out, waited in outs.items():
            offers[space.number[held, signs, out]] = True
            waits[space.number[held, signs, out]] = waited
    missing = space.reachable(offers) - answers.keys()
    for held, signs in sorted(missing)[:1]:
        raise NotUniform(f"{routing}: no mesh shows what it offers in {space.name(held)} with {shown(signs)} left")
    return Rule(space, offers, None if (waits == offers).all() else waits, routing)


def _counts(relation: Relation, dimensions: int) -> tuple[tuple[int, int], ...]:
    product, network = grid(relation.network), relation.network
    if relation.num_addresses != network.num_terminals or relation.commits or relation.may_use is not None:
        raise NotUniform(f"{relation.name}: addresses other than terminals, or headers that commit to a choice")
    counts = []
    for i in range(dimensions):
        pair = []
        for down in (False, True):
            each = {*relation.vcs.counts[(product.dimension == i) & (product.down == down)].tolist()}
            if len(each) != 1:
                raise NotUniform(f"{relation.name} has {sorted(each)} VCs on different channels of one direction")
            pair.append(each.pop())
        counts.append((pair[0], pair[1]))
    return tuple(counts)


def _answers(relation: Relation, space: Space) -> Iterator[tuple[State, dict[int, bool], str]]:
    """Yield for each reachable state with something left the types offered, whether it waits for them, and where."""
    product, vcs, table = grid(relation.network), relation.vcs, relation.table or tabulate(relation)
    types = types_of(space, relation.network, vcs)
    at_router, home = product.coordinates, relation.network.eject[relation.destination]
    for address in range(relation.num_addresses):
        for at in table.input_vc[table.first[address] : table.first[address + 1]].tolist():
            remaining = at_router[home[address]] - at_router[vcs.router[at]]
            signs: Signs = tuple(np.sign(remaining).tolist())
            held = types[at] if at < vcs.total else space.injection
            outs: dict[int, bool] = {}
            for candidate in relation.candidates(at, address):
                vc = candidate.vc
                if vc is None:
                    continue
                kind = space.types[types[vc]]
                if signs[kind.dimension] != kind.sign:
                    raise NotUniform(f"{relation.name} is not minimal: at {vcs.name(at)} it offers {vcs.name(vc)}")
                outs[types[vc]] = candidate.waits
            if any(signs):
                yield (held, signs), outs, vcs.name(at)


def _names(space: Space, outs: dict[int, bool]) -> str:
    return (
        " ".join(space.name(out) + ("" if waits else " (not waited for)") for out, waits in outs.items()) or "nothing"
    )


def meshes_to_read(dimensions: int) -> Iterator[tuple[int, ...]]:
    """Meshes from which an algorithm is read, even and odd sides, equal and unequal."""
    for sides in (
        (3,) * dimensions,
        (4,) * dimensions,
        tuple(2 + (i + 1) % 3 for i in range(dimensions)),
        tuple(5 - i % 3 for i in range(dimensions)),
    ):
        routers = int(np.prod(sides))
        if sides == (3,) * dimensions or routers * routers * 2 * dimensions <= MOST_STATES:
            yield sides


def growing_meshes(dimensions: int) -> Iterator[tuple[int, ...]]:
    for side in range(2, LARGEST + 1):
        yield (side,) * dimensions


def mesh_relation(sides: tuple[int, ...], routing: str) -> Relation:
    return routing_of(mesh(*sides), routing)
