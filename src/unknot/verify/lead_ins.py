"""Ways from injection to the tails of worms."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from math import inf

import numpy as np

from unknot._base.deadline import clock
from unknot.network.graph import backwards, path_to, reached_from
from unknot.routing.relation import Relation
from unknot.verify.exact_model import Worm
from unknot.verify.explorer import Explorer
from unknot.verify.remainder import Remainder

SECONDS = 5.0
"""Time limit of each question to the solver, in seconds, beside a limit that no machine changes."""


class LeadIns:
    """Ways from injection to a state of an address; `limited` when a limit ended a search for them.

    `graph` gives the candidate VCs of each reachable input VC of an address, ejection left out.
    """

    def __init__(self, relation: Relation, end: float = inf) -> None:
        self.relation, self.end = relation, end
        self.graph = cache(Explorer(relation).steps)
        self.limited = False

    @property
    def seconds(self) -> float:
        """Time in seconds that the solver may take for a question."""
        return min(SECONDS, self.end - clock())

    @property
    def late(self) -> bool:
        """Whether the time is up."""
        return clock() > self.end

    def leads(self, worm: Worm, banned: Iterable[int]) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield each terminal that reaches the tail of a worm, with a shortest way past some VCs and the worm's own.

        One breadth-first search back from the tail serves all terminals; nearest terminals come first.
        """
        closed = {*banned, *worm.path}
        before = backwards({at: vcs for at, vcs in self.graph(worm.address).items() if at not in closed})
        ahead = reached_from(worm.path[:1], lambda vc: before.get(vc, ()))
        for at in ahead:
            if at >= self.relation.num_vcs:
                yield at - self.relation.num_vcs, tuple(path_to(at, ahead)[-2:0:-1])


def own_terminals(doors: Sequence[Collection[int]]) -> list[int]:
    """A terminal of its own for each VC, of those from which it can be entered; empty when there are not enough."""
    # Mostly the first free terminal of each will do, which spares the import of SciPy.
    chosen: dict[int, None] = {}
    for door in doors:
        chosen |= dict.fromkeys(sorted(set(door) - chosen.keys())[:1])
    if len(chosen) == len(doors):
        return list(chosen)

    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    rows = [i for i, door in enumerate(doors) for _ in door]
    terminals, columns = np.unique([terminal for door in doors for terminal in door], return_inverse=True)
    pairs = csr_array(
        (np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(len(doors), max(1, terminals.size))
    )
    match = maximum_bipartite_matching(pairs, perm_type="column")
    return [int(terminal) for terminal in terminals[match]] if (match >= 0).all() else []


STARTS = 64
"""Places from which a small set is looked for."""


def small_closed_set(part: Remainder) -> list[Worm]:
    """A small set of messages of one VC each, closed under waiting; every VC that a head waits for has a head."""
    on: dict[int, list[int]] = {}
    for head, vc in enumerate(part.input_vc[part.head_owner].tolist()):
        on.setdefault(vc, []).append(head)
    starts, waits = sorted(on), cache(part.waits)
    best: dict[int, int] = {}
    for start in starts[:: max(1, len(starts) // STARTS)]:
        chosen: dict[int, int] = {}
        todo = deque([start])
        inside = {start}
        while todo and (not best or len(chosen) < len(best)):
            vc = todo.popleft()
            head = min(on[vc], key=lambda h: (len(set(waits(h)) - inside), h))
            chosen[vc] = head
            for w in waits(head):
                if w not in inside:
                    inside.add(w)
                    todo.append(w)
        if not todo and (not best or len(chosen) < len(best)):
            best = chosen
    return [
        Worm(int(part.owner[part.head_owner[head]]), (vc,), tuple(waits(head))) for vc, head in sorted(best.items())
    ]
