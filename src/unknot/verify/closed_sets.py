"""Sets of single-VC messages that block each other, from the greatest fixpoint."""

from __future__ import annotations

from collections import deque

import numpy as np
import numpy.typing as npt

from unknot.routing.relation import EJECT, VC_MASK
from unknot.verify.exact import Worm
from unknot.verify.states import Core, Explorer, Flags

STARTS = 64
"""Places from which a small set is looked for."""


def small_closed_set(core: Core, heads: Flags) -> list[Worm]:
    """A small set of messages of one VC each, closed under waiting.

    Parameters
    ----------
    heads : bool array, shape (heads,)
        Heads that may be used; every VC one of them waits for has a usable head itself.
    """
    on: dict[int, list[int]] = {}
    for head in np.flatnonzero(heads).tolist():
        on.setdefault(int(core.input_vc[core.head_owner[head]]), []).append(head)
    starts = sorted(on)
    best: dict[int, int] = {}
    for start in starts[:: max(1, len(starts) // STARTS)]:
        chosen: dict[int, int] = {}
        todo = deque([start])
        inside = {start}
        while todo and (not best or len(chosen) < len(best)):
            vc = todo.popleft()
            head = min(on[vc], key=lambda h: (sum(w not in inside for w in core.waits(h)), h))
            chosen[vc] = head
            for w in core.waits(head):
                if w not in inside:
                    inside.add(w)
                    todo.append(w)
        if not todo and (not best or len(chosen) < len(best)):
            best = chosen
    return [
        Worm(int(core.owner[core.head_owner[head]]), (vc,), tuple(core.waits(head)))
        for vc, head in sorted(best.items())
    ]


def entered(core: Core) -> Flags:
    """Mask of states that a packet enters straight from its terminal: bool array, shape (states,)."""
    relation = core.dependencies.relation
    explorer = Explorer(relation)
    states = np.zeros(core.input_vc.size, dtype=bool)
    from_terminal = np.zeros(relation.num_vcs, dtype=bool)
    bounds = np.searchsorted(core.owner, np.arange(relation.num_addresses + 1))
    for address in range(relation.num_addresses):
        low, high = bounds[address], bounds[address + 1]
        if low < high:
            from_terminal[:] = False
            from_terminal[_entries(explorer, address)] = True
            states[low:high] = from_terminal[core.input_vc[low:high]]
    return states


def _entries(explorer: Explorer, address: int) -> npt.NDArray[np.int64]:
    """VCs that packets for an address enter straight from injection."""
    explorer.visit(address)
    sources = explorer.relation.sources(address).size
    vcs = explorer.value[: explorer.first[sources]] & VC_MASK
    return np.asarray(vcs[vcs != EJECT])
