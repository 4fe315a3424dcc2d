# mypy: ignore-errors
"""Greatest fixpoints over the states on cycles of dependencies, by deletion."""

import numpy as np

from unknot._base.kernels.lazy_kernel import kernel
from unknot.verify.waiting_kernel import ENTERED, SPAN

NEXT = (1 << SPAN) - 1
"""The lower half of a word: the edges over which a state goes on, or, shifted, those that it waits for."""
DOOMED = -(1 << 63)
"""In the first word of a state: it has no support from the start."""


def state_types(t):
    """state_first, owner, word, bits, ring and leader of `Waiting`."""
    return t.Tuple((t.READ64, t.READ32, t.READ64, t.I64, t.READ32, t.READ32))


def graph_types(t):
    """live_first; back rows: VCs with an edge to a VC, and its number among their edges; kinds and members."""
    return t.Tuple((t.READ64, t.READ64, t.READ32, t.READ32, t.READ32, t.READ64, t.READ32))


def mark_types(t):
    """What deletion has come to.

    Live edges of each VC, states left on each kind, supported members of each leader; when each kind was deleted;
    queue of deleted kinds; stack of dead states and their VCs; cursors: next VC to begin with, head and tail of the
    queue.
    """
    return t.Tuple((t.I64, t.I32, t.I32, t.I64, t.I32, t.I64, t.I32, t.I64))


@kernel(lambda t: t.boolean(t.READ64, t.int64, t.int64, t.I64, t.int64, t.boolean))
def _blocked(bits, base, words, live, edges, commits):
    """Whether all (for one that commits, some) of what a state waits for is live, and it waits at all."""
    waits = False
    for w in range(words):
        # The mask is needed: DOOMED makes the word negative, and ENTERED stands beside the waits.
        outputs = (bits[base + w] >> SPAN) & NEXT
        if outputs:
            waits = True
            if commits:
                if outputs & live[edges + w]:
                    return True
            elif outputs & ~live[edges + w]:
                return False
    return waits and not commits


@kernel(lambda t: t.boolean(t.READ64, t.int64, t.int64))
def _goes_on(bits, base, words):
    """Whether some transition out of the component of a state leads to one that is left."""
    for w in range(words):
        if bits[base + w] & NEXT:
            return True
    return False


@kernel(lambda t: t.void(state_types(t), graph_types(t), t.boolean, t.boolean, t.boolean, t.READ_BOOL, mark_types(t)))
def begin(states, graph, spread, commits, entered, cyclic, marks):
    """Count what supports states and VCs at first, and delete VCs that nothing supports."""
    state_first, _, word, bits, ring, leader = states
    live_first, _, _, _, kind, member_first, member = graph
    live, on, supported, removed, queue, _, _, cursor = marks
    supported[:] = 0
    on[:] = 0
    removed[:] = -1
    cursor[:] = 0
    live[:] = NEXT
    together = spread and ring.size > 0
    # States on a cycle live as long as one of them does, so the first turn counts for each cycle what is alive of its
    # own, and the second, which can know it, asks the cycle in place of the state.
    for turn in range(2 if together else 1):
        for v in range(cyclic.size):
            words = live_first[v + 1] - live_first[v]
            for s in range(state_first[v], state_first[v + 1]):
                base = word[v] + (s - state_first[v]) * words
                if turn == 1:
                    alive = supported[leader[s]] > 0
                else:
                    may_block = not entered or (bits[base] & ENTERED) != 0
                    alive = (spread and _goes_on(bits, base, words)) or (
                        may_block and _blocked(bits, base, words, live, live_first[v], commits)
                    )
                if turn == 0 and together:
                    supported[leader[s]] += alive
                else:
                    # With `spread` a dead state counts until `drain` takes it off the stack, as those that die later.
                    on[kind[v]] += alive or spread
                    if spread and not alive:
                        bits[base] |= DOOMED
    for k in range(on.size):
        if on[k] == 0 and cyclic[member[member_first[k]]]:
            removed[k] = cursor[2]
            queue[cursor[2]] = k
            cursor[2] += 1


@kernel(lambda t: t.int64(t.int64, t.READ64, t.READ32, t.READ32, t.I32, t.I64, t.I32, t.int64))
def _lose(s, state_first, ring, leader, supported, stack, stack_vc, size):
    """Note that a state lost its last support of its own; stack its component when all of its states have."""
    supported[leader[s]] -= 1
    if supported[leader[s]] == 0:
        t = s
        while True:
            stack[size] = t
            # The VC of a state is not stored: 4 bytes a state would be a third more memory.
            stack_vc[size] = np.searchsorted(state_first, t, side="right") - 1
            size += 1
            t = np.int64(ring[t])
            if t == s:
                break
    return size


@kernel(
    lambda t: t.UniTuple(t.int64, 2)(
        t.int64, t.int64, t.int64, t.int64, t.boolean, t.boolean, t.boolean,
        t.READ64, t.READ64, t.READ64, t.READ32, t.READ32, t.READ64, t.I64, t.I32, t.I64, t.I32
    )
)  # fmt: skip
def _unblock(
    v, edge, s, end, spread, commits, entered, state_first, word, bits, ring, leader, live_first,
    live, supported, stack, stack_vc,
):  # fmt: skip
    """Stack those states s to `end` of VC v that were only blocked, and by waiting for an edge that is dead.

    Where states form components it stops at the first such state, for its component goes on the stack too. Returns
    the state to go on from and the size of the stack.
    """
    size = 0
    together = spread and ring.size > 0
    words = live_first[v + 1] - live_first[v]
    shift = word[v] - state_first[v] * words
    w, bit = edge // SPAN, np.int64(1) << (edge % SPAN)
    # A state loses its support only if it was blocked while the edge lived, so both answers are worked out.
    after = live[live_first[v] + w] & ~bit
    before = after | bit
    live[live_first[v] + w] = after
    while s < end and (size == 0 or not together):
        base = shift + s * words
        s += 1
        if not (bits[base + w] >> SPAN) & bit or (entered and not bits[base] & ENTERED):
            continue
        if words == 1:
            waits = (bits[base] >> SPAN) & NEXT
            lost = (waits & after if commits else waits & ~before) == 0
        else:
            live[live_first[v] + w] = before
            lost = _blocked(bits, base, words, live, live_first[v], commits)
            live[live_first[v] + w] = after
            lost = lost and not _blocked(bits, base, words, live, live_first[v], commits)
        if lost and not (spread and _goes_on(bits, base, words)):
            if together:
                size = _lose(s - 1, state_first, ring, leader, supported, stack, stack_vc, size)
            else:
                stack[size] = s - 1
                stack_vc[size] = v
                size += 1
    return s, size


@kernel(lambda t: t.boolean(state_types(t), graph_types(t), t.boolean, t.boolean, t.boolean, mark_types(t), t.int64))
def drain(states, graph, spread, commits, entered, marks, budget):
    """Delete VCs until each one left has a state from which a header may come to block for good.

    Without `spread` (saf, vct) that is a state all of whose waits are left. With `spread` (wormhole) it is a state
    from which such a state is reached over states that are left. States of one address that lie on a cycle live and
    die together, since a state dies only when it can no longer reach a blocked one; so the count of what supports a
    component is exact, and deletion takes linear time. With `entered`, only packets that stand in the first VC of
    their route may block.

    Goes on from where it stopped; returns whether it is done, or False after about `budget` looks at states.
    """
    state_first, owner, word, bits, ring, leader = states
    live_first, back_first, back_vc, back_edge, kind, member_first, member = graph
    live, on, supported, removed, queue, stack, stack_vc, cursor = marks
    together = spread and ring.size > 0
    begun, head, tail = cursor[0], cursor[1], cursor[2]
    size, spent = 0, 0
    m, m_end, row, row_end, scan, scan_end = 0, 0, 0, 0, 0, 0
    p, edge = 0, 0
    # The branches are nested loops turned inside out, innermost first: dead states before more states of a VC, these
    # before more VCs that wait (`row`), before more VCs of the kind that was deleted (`m`), before the next of the
    # queue. So a call can stop between two kinds, where nothing is half done and three cursors say all.
    while True:
        if size:
            # A state is dead: so are those before it that nothing else supports, and a kind of VC with its last.
            size -= 1
            spent += 1
            s, v = stack[size], stack_vc[size]
            on[kind[v]] -= 1
            if on[kind[v]] == 0:
                removed[kind[v]] = tail
                queue[tail] = kind[v]
                tail += 1
            address = owner[s]
            for r in range(back_first[v], back_first[v + 1] if spread else back_first[v]):
                # States of a VC ascend by address, mostly evenly. The one that may go on to the dead one is searched
                # from its share of them: bounds move out from there by doubling, then come together by halving.
                u = np.int64(back_vc[r])
                begin, end = state_first[u], state_first[u + 1]
                if begin == end or address < owner[begin] or address > owner[end - 1]:
                    continue
                low = begin + (address - owner[begin]) * (end - 1 - begin) // max(1, owner[end - 1] - owner[begin])
                high, reach = low, 1
                while low > begin and owner[low] > address:
                    high, low, reach = low, max(begin, low - reach), 2 * reach
                while high < end and owner[high] < address:
                    low, high, reach = high, min(end, high + reach), 2 * reach
                while low < high:
                    middle = (low + high) >> 1
                    if owner[middle] < address:
                        low = middle + 1
                    else:
                        high = middle
                if low == end or owner[low] != address:
                    continue
                width = live_first[u + 1] - live_first[u]
                base = word[u] + (low - state_first[u]) * width
                j, e = back_edge[r] // SPAN, back_edge[r] % SPAN
                if not (bits[base + j] >> e) & 1:
                    continue
                bits[base + j] &= ~(1 << e)
                if _goes_on(bits, base, width) or _blocked(bits, base, width, live, live_first[u], commits):
                    continue
                if together:
                    size = _lose(low, state_first, ring, leader, supported, stack, stack_vc, size)
                else:
                    stack[size] = low
                    stack_vc[size] = u
                    size += 1
        elif scan < scan_end:
            scan, size = _unblock(
                p, edge, scan, scan_end, spread, commits, entered, state_first, word, bits, ring, leader, live_first,
                live, supported, stack, stack_vc,
            )  # fmt: skip
        elif row < row_end:
            # Headers at p that waited for a deleted VC are no longer blocked.
            p, edge = np.int64(back_vc[row]), np.int64(back_edge[row])
            row += 1
            if on[kind[p]]:
                scan, scan_end = state_first[p], state_first[p + 1]
                spent += scan_end - scan
        elif m < m_end:
            row, row_end = back_first[member[m]], back_first[member[m] + 1]
            m += 1
        elif spent >= budget:
            cursor[0], cursor[1], cursor[2] = begun, head, tail
            return False
        elif spread and begun < kind.size:
            v = begun
            begun += 1
            words = live_first[v + 1] - live_first[v]
            spent += state_first[v + 1] - state_first[v]
            for s in range(state_first[v], state_first[v + 1]):
                if bits[word[v] + (s - state_first[v]) * words] & DOOMED:
                    stack[size] = s
                    stack_vc[size] = v
                    size += 1
        elif head < tail:
            m, m_end = member_first[queue[head]], member_first[queue[head] + 1]
            head += 1
        else:
            cursor[0], cursor[1], cursor[2] = begun, head, tail
            return True


@kernel(
    lambda t: t.void(
        state_types(t), graph_types(t), t.boolean, t.boolean, t.READ64, t.READ32, mark_types(t), t.int64, t.I32,
        t.I32, t.I32, t.I64, t.I32, t.I64,
    )
)  # fmt: skip
def pick(
    states, graph, commits, entered, inner_first, inner, marks, most,
    input_vc, address, head_owner, head_first, head_wait, sizes,
):  # fmt: skip
    """Pick for each VC that is left up to `most` blocked states, no two of which wait for the same VCs that are left.

    Edge e of VC v leads to inner[inner_first[v] + e]. `sizes` becomes how many states and heads were
    picked; they are written as in `unknot.verify.remainder.Remainder`.
    """
    state_first, owner, word, bits, _, _ = states
    live_first, _, _, _, kind, _, _ = graph
    live, _, _, removed, _, _, _, _ = marks
    words = 0
    for v in range(kind.size):
        words = max(words, live_first[v + 1] - live_first[v])
    known, waits = np.empty((most, words), np.int64), np.empty(words, np.int64)
    count, heads = 0, 0
    head_first[0] = 0
    for v in range(kind.size):
        if removed[kind[v]] >= 0:
            continue
        words = live_first[v + 1] - live_first[v]
        picked = 0
        for s in range(state_first[v], state_first[v + 1]):
            base = word[v] + (s - state_first[v]) * words
            if (entered and not bits[base] & ENTERED) or not _blocked(
                bits, base, words, live, live_first[v], commits
            ):
                continue
            for w in range(words):
                waits[w] = (bits[base + w] >> SPAN) & live[live_first[v] + w]
            f, same = 0, False
            while f < picked and not same:
                same = True
                for w in range(words):
                    same = same and known[f, w] == waits[w]
                f += 1
            if same:
                continue
            known[picked] = waits
            picked += 1
            input_vc[count] = v
            address[count] = owner[s]
            filled = head_first[heads]
            for e in range(inner_first[v + 1] - inner_first[v]):
                if (waits[e // SPAN] >> (e % SPAN)) & 1:
                    head_wait[filled] = inner[inner_first[v] + e]
                    filled += 1
                    if commits:
                        head_owner[heads] = count
                        heads += 1
                        head_first[heads] = filled
            if not commits:
                head_owner[heads] = count
                heads += 1
                head_first[heads] = filled
            count += 1
            if picked == most:
                break
    sizes[0], sizes[1] = count, heads
