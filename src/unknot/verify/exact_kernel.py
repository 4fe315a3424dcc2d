# mypy: ignore-errors
"""Greatest set of states whose worms can leave it or block in it, when nothing outside of it is looked at."""

import numpy as np
from numba import types

from unknot._base.kernels.types_kernel import READ64, READ_BOOL, kept

FLAGS = types.boolean[::1]


@kept(
    types.void(types.int64, READ64, READ64, READ64, READ_BOOL, READ64, READ64, READ64, FLAGS, FLAGS),
    nogil=True,
)
def prune(vcs, input_vc, next_first, next_state, leaves, head_owner, head_first, head_wait, alive, blocks):
    """Greatest set of states from each of which, over its states, a worm can leave or come to a head that may block.

    A head may block when every VC it waits for has a state of the set. Clears alive[s] and blocks[h] of the others,
    pass by pass; a pass goes over the states back and forth until reachability is stable.
    """
    states = input_vc.size
    reached = np.empty(states, np.bool_)
    while True:
        on = np.zeros(vcs, np.bool_)
        for s in range(states):
            if alive[s]:
                on[input_vc[s]] = True
            reached[s] = alive[s] and leaves[s]
        for h in range(head_owner.size):
            if blocks[h]:
                blocks[h] = alive[head_owner[h]]
                for k in range(head_first[h], head_first[h + 1]):
                    if not on[head_wait[k]]:
                        blocks[h] = False
                if blocks[h]:
                    reached[head_owner[h]] = True
        changed = True
        forth = False
        while changed:
            changed = False
            forth = not forth
            # In turns, since a long chain of states takes one pass along their numbers, and many against them.
            for i in range(states):
                s = i if forth else states - 1 - i
                if alive[s] and not reached[s]:
                    for k in range(next_first[s], next_first[s + 1]):
                        if reached[next_state[k]]:
                            reached[s] = True
                            changed = True
                            break
        same = True
        for s in range(states):
            if alive[s] and not reached[s]:
                alive[s] = False
                same = False
        if same:
            break
