"""Deadlock decided by its definition, in plain Python, for networks of a dozen virtual channels.

A deadlock configuration is a legal filling of virtual channels (VCs) by packets, each in a state reachable from
injection, none of which can ever move because everything each one waits for is held within the set. Nothing here is
shared with `unknot.verify`: the relation is asked through `Relation.candidates` alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from unknot.routing.relation import Relation


class TooLargeError(Exception):
    """The instance is beyond what exhaustive search is meant for."""


@dataclass(frozen=True)
class Answer:
    """What a relation answers for one state: VCs a header may take, those it waits for, and ejection."""

    may: frozenset[int]
    waits: frozenset[int]
    may_leave: bool
    waits_to_leave: bool


@dataclass(frozen=True)
class Worm:
    """A blocked packet: its address, the VCs it holds with the header in the last, the VCs its header waits for."""

    address: int
    path: tuple[int, ...]
    wants: frozenset[int]


States = list[dict[int, Answer]]


@lru_cache(4)
def states_of(relation: Relation) -> States:
    """For every address the answers at all places that a header carrying it can reach from injection.

    They are kept for a while, as several techniques are asked about one after the other; nobody changes them.
    """
    states: States = []
    for address in range(relation.num_addresses):
        answers: dict[int, Answer] = {}
        todo = [relation.num_vcs + int(t) for t in relation.sources(address)]
        while todo:
            at = todo.pop()
            if at in answers:
                continue
            offered = relation.candidates(at, address)
            answers[at] = Answer(
                frozenset(c.vc for c in offered if c.vc is not None),
                frozenset(c.vc for c in offered if c.vc is not None and (c.waits or relation.commits)),
                any(c.vc is None for c in offered),
                any(c.vc is None for c in offered),
            )
            todo.extend(answers[at].may)
        states.append(answers)
    return states


def blockings(relation: Relation, answer: Answer) -> list[frozenset[int]]:
    """Sets of VCs any one of which, when held in full, blocks a header in this state.

    A header that chooses anew is blocked when all it waits for is held. One that has committed is blocked by its
    choice alone, which the adversary makes. The sink never stalls, so who waits to leave is not blocked.
    """
    if relation.commits:
        return [frozenset({vc}) for vc in sorted(answer.waits)]
    return [answer.waits] if answer.waits and not answer.waits_to_leave else []


def deadlock(relation: Relation, switching: str, *, limit: int = 300_000) -> list[Worm] | None:
    """A deadlock configuration of the relation under a switching technique, or None when there is none.

    Raises
    ------
    TooLargeError
        When more than `limit` worms or search steps would be needed.
    """
    if switching == "wormhole-nonatomic":
        return dependency_cycle(relation)
    longest = 1 if switching in ("saf", "vct") else relation.num_vcs
    worms = list(_worms(relation, longest, limit))
    return _closed_set(worms, limit)


def dependency_cycle(relation: Relation) -> list[Worm] | None:
    """A cycle of VCs in which a header in each may take the next: who commits to one VC waits for that VC."""
    edges: dict[int, dict[int, int]] = {}
    for address, answers in enumerate(states_of(relation)):
        for at, answer in answers.items():
            if at < relation.num_vcs:
                for vc in answer.may:
                    edges.setdefault(at, {}).setdefault(vc, address)
    finished: set[int] = set()

    def search(path: list[int]) -> list[int] | None:
        for vc in sorted(edges.get(path[-1], {})):
            if vc in path:
                return path[path.index(vc) :]
            if vc not in finished:
                cycle = search([*path, vc])
                if cycle is not None:
                    return cycle
        finished.add(path[-1])
        return None

    for start in sorted(edges):
        if start not in finished:
            cycle = search([start])
            if cycle is not None:
                after = [*cycle[1:], cycle[0]]
                return [Worm(edges[c][n], (c,), frozenset({n})) for c, n in zip(cycle, after, strict=True)]
    return None


def _worms(relation: Relation, longest: int, limit: int) -> Iterator[Worm]:
    """Every worm of up to `longest` VCs whose header can be blocked."""
    made = 0
    for address, answers in enumerate(states_of(relation)):
        paths = [(at,) for at in answers if at < relation.num_vcs]
        while paths:
            path = paths.pop()
            made += 1
            if made > limit:
                raise TooLargeError(f"more than {limit} paths of worms")
            answer = answers[path[-1]]
            for wants in blockings(relation, answer):
                yield Worm(address, path, wants)
            if len(path) < longest:
                paths.extend((*path, vc) for vc in answer.may if vc not in path)


def _closed_set(worms: list[Worm], limit: int) -> list[Worm] | None:
    """Disjoint worms that hold all they want, or None: whatever is needed must be held by somebody, so try each."""
    while True:
        holdable = {vc for worm in worms for vc in worm.path}
        kept = [worm for worm in worms if worm.wants <= holdable]
        if len(kept) == len(worms):
            break
        worms = kept
    table = [(_bits(worm.path), _bits(worm.wants), worm) for worm in worms]
    dead: set[int] = set()
    failed: set[tuple[int, int]] = set()

    def complete(held: int, awaited: int, chosen: list[Worm]) -> list[Worm] | None:
        missing = awaited & ~held
        if not missing:
            return chosen
        if (held, missing) in failed:
            return None
        if len(failed) > limit:
            raise TooLargeError(f"more than {limit} steps of search")
        vc = missing & -missing
        for index, (path, wants, worm) in enumerate(table):
            if path & vc and not path & held and index not in dead:
                closed = complete(held | path, awaited | wants, [*chosen, worm])
                if closed is not None:
                    return closed
        failed.add((held, missing))
        return None

    for index, (path, wants, worm) in enumerate(table):
        closed = complete(path, wants, [worm])
        if closed is not None:
            return closed
        dead.add(index)
    return None


def _bits(vcs: tuple[int, ...] | frozenset[int]) -> int:
    return sum(1 << vc for vc in vcs)
