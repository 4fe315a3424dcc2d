"""The smallest deadlock configuration by trying every set of worms, for networks of a dozen virtual channels."""

from __future__ import annotations

from tests.reference.brute_force import TooLargeError, blockings, states_of
from unknot.routing.relation import Relation

Option = tuple[frozenset[int], int, frozenset[int]]
"""VCs that a worm holds, the one at its tail, and those its header waits for."""


def fewest(relation: Relation, switching: str, *, limit: int = 20_000) -> tuple[int, int] | None:
    """Fewest messages of a deadlock configuration, and fewest VCs that so few hold; None when there is no deadlock.

    Under non-atomic allocation a header has committed to any one candidate, behind the tail of the packet that holds
    it.

    Raises
    ------
    TooLargeError
        When more than `limit` worms or search steps would be needed.
    """
    queued = switching == "wormhole-nonatomic"
    longest = 1 if switching in ("saf", "vct") else relation.num_vcs
    options = _options(relation, longest, queued, limit)
    best: tuple[int, int] | None = None
    steps = 0

    def extend(chosen: list[Option]) -> None:
        nonlocal best, steps
        steps += 1
        if steps > limit:
            raise TooLargeError(f"more than {limit} steps of search")
        held = frozenset().union(*(path for path, _, _ in chosen))
        size = len(chosen), len(held)
        if best is not None and size >= best:
            return
        tails = {tail for _, tail, _ in chosen}
        awaited = frozenset().union(*(wants for _, _, wants in chosen))
        if any(w in held and w not in tails for w in awaited) and queued:
            return
        missing = awaited - held
        if not missing:
            best = size
            return
        need = min(missing)
        for option in options:
            if need in option[0] and not option[0] & held:
                extend([*chosen, option])

    for option in options:
        extend([option])
    return best


def _options(relation: Relation, longest: int, queued: bool, limit: int) -> list[Option]:
    options: set[Option] = set()
    made = 0
    for answers in states_of(relation):
        paths = [(at,) for at in answers if at < relation.num_vcs]
        while paths:
            path = paths.pop()
            made += 1
            if made > limit:
                raise TooLargeError(f"more than {limit} paths of worms")
            answer = answers[path[-1]]
            waits = [frozenset({vc}) for vc in answer.may] if queued else blockings(relation, answer)
            options |= {(frozenset(path), path[0], wants) for wants in waits}
            if len(path) < longest:
                paths.extend((*path, vc) for vc in answer.may if vc not in path)
    return sorted(options, key=lambda option: (len(option[0]), sorted(option[0]), option[1], sorted(option[2])))
