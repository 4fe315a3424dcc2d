# mypy: ignore-errors
"""Greatest fixpoints over the cyclic core, by deletion."""

import numpy as np
from numba import njit, types

from unknot.types_kernel import READ32, READ64

I64 = types.int64[::1]


@njit(types.Tuple((I64, I64))(READ64, READ64, types.int64), cache=True)
def reverse(first, target, nodes):
    """Rows of an incidence the other way round: for each target, the rows that name it."""
    back_first = np.zeros(nodes + 1, np.int64)
    for t in target:
        back_first[t + 1] += 1
    for n in range(nodes):
        back_first[n + 1] += back_first[n]
    back = np.empty(target.size, np.int64)
    cursor = back_first[:-1].copy()
    for row in range(first.size - 1):
        for k in range(first[row], first[row + 1]):
            back[cursor[target[k]]] = row
            cursor[target[k]] += 1
    return back_first, back


@njit(
    types.int64(types.int64, READ32, READ64, READ64, READ64, READ64, READ64, types.boolean, I64, types.boolean[::1]),
    cache=True,
)
def survive(vcs, place, next_first, next_state, head_owner, head_first, head_wait, spread, removed, alive):
    """Delete VCs until each one left has a state from which a header may come to block for good.

    With `spread` false (saf, vct) that is a state with a head all of whose waits are left. With `spread` true
    (wormhole) it is a state from which such a head is reached over states on VCs that are left. Successor counters
    delete in linear time; where states of one address form cycles they may keep too much, so a search back from the
    heads confirms the rest, and deletion goes on until nothing changes.

    Fills removed[v] with the number of deletions before v was deleted (equal for those deleted together), −1 if it is
    left, and alive[s] with the states that are left. Returns how many VCs are left.
    """
    states = place.size
    heads = head_owner.size
    wait_first, waiters = reverse(head_first, head_wait, vcs)
    back_first, back = reverse(next_first, next_state, states)
    on = np.zeros(vcs, np.int64)
    supports = np.zeros(states, np.int64)
    blocks = np.ones(heads, np.bool_)
    for h in range(heads):
        supports[head_owner[h]] += 1
    if spread:
        for s in range(states):
            supports[s] += next_first[s + 1] - next_first[s]
    alive[:] = True
    removed[:] = -1
    for s in range(states):
        on[place[s]] += 1
    standing = np.zeros(vcs + 1, np.int64)
    for v in range(vcs):
        standing[v + 1] = standing[v] + on[v]
    by_vc = np.empty(states, np.int64)
    cursor = standing[:-1].copy()
    for s in range(states):
        by_vc[cursor[place[s]]] = s
        cursor[place[s]] += 1
    left = 0
    for v in range(vcs):
        left += on[v] > 0
    doomed = np.empty(states, np.int64)
    count = 0
    dying = np.empty(vcs, np.int64)
    deaths = 0
    for s in range(states):
        if supports[s] == 0:
            alive[s] = False
            doomed[count] = s
            count += 1
    while True:
        batch = deaths
        while count:
            count -= 1
            s = doomed[count]
            v = place[s]
            on[v] -= 1
            if spread:
                for k in range(back_first[s], back_first[s + 1]):
                    p = back[k]
                    supports[p] -= 1
                    if alive[p] and supports[p] == 0:
                        alive[p] = False
                        doomed[count] = p
                        count += 1
            if on[v] == 0 and removed[v] < 0:
                removed[v] = batch
                dying[deaths] = v
                deaths += 1
            if count == 0 and batch < deaths:
                for d in range(batch, deaths):
                    v = dying[d]
                    for k in range(wait_first[v], wait_first[v + 1]):
                        h = waiters[k]
                        if blocks[h]:
                            blocks[h] = False
                            o = head_owner[h]
                            supports[o] -= 1
                            if alive[o] and supports[o] == 0:
                                alive[o] = False
                                doomed[count] = o
                                count += 1
                batch = deaths
        if not spread:
            break
        reached = np.zeros(states, np.bool_)
        size = 0
        for h in range(heads):
            o = head_owner[h]
            if blocks[h] and alive[o] and not reached[o]:
                reached[o] = True
                doomed[size] = o
                size += 1
        while size:
            size -= 1
            s = doomed[size]
            for k in range(back_first[s], back_first[s + 1]):
                p = back[k]
                if alive[p] and not reached[p]:
                    reached[p] = True
                    doomed[size] = p
                    size += 1
        for s in range(states):
            if alive[s] and not reached[s]:
                alive[s] = False
                doomed[count] = s
                count += 1
        if count == 0:
            break
    return left - deaths
