# mypy: ignore-errors
"""Greatest fixpoints over the states on cycles of dependencies, by deletion."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unknot._base.kernels.lazy_kernel import kernel
from unknot.verify.waiting_kernel import ENTERED, SPAN

NEXT = (1 << SPAN) - 1
"""The lower half of a word: the edges over which a state goes on, or, shifted, those that it waits for."""
DOOMED = -(1 << 63)
"""In the first word of a state: it has no support from the start."""


class States(NamedTuple):
    """The states of `Waiting`, by the names that its attributes have."""

    state_first: npt.NDArray[np.int64]
    owner: npt.NDArray[np.int32]
    word: npt.NDArray[np.int64]
    bits: npt.NDArray[np.int64]
    ring: npt.NDArray[np.int32]
    leader: npt.NDArray[np.int32]


class Edges(NamedTuple):
    """Dependencies backwards.

    Attributes
    ----------
    live_first : int64 array, shape (VCs + 1,)
        First word of each VC in `Marks.live`.
    back_first, back_vc, back_edge : arrays
        VCs with an edge to each VC, and its number among their edges, in compressed rows.
    kind : int32 array, shape (VCs,)
    member_first, member : arrays
        VCs of each kind, in compressed rows.
    """

    live_first: npt.NDArray[np.int64]
    back_first: npt.NDArray[np.int64]
    back_vc: npt.NDArray[np.int32]
    back_edge: npt.NDArray[np.int32]
    kind: npt.NDArray[np.int32]
    member_first: npt.NDArray[np.int64]
    member: npt.NDArray[np.int32]


class Rules(NamedTuple):
    """Which states live.

    Attributes
    ----------
    spread : bool
        Also one from which another is reached, as under wormhole.
    commits : bool
        A header waits for the one output that it chose.
    entered : bool
        Only packets block that stand in the first VC of their route.
    """

    spread: bool
    commits: bool
    entered: bool


class Marks(NamedTuple):
    """How far deletion has come.

    Attributes
    ----------
    live : int64 array
        Edges of each VC to VCs that are left, as bits.
    on : int32 array, shape (kinds,)
        States that are left on the VCs of a kind.
    supported : int32 array, shape (states,)
        Of the first state of a cycle: states of the cycle with support of their own.
    removed : int64 array, shape (kinds,)
        How many kinds were deleted before this one; −1 if it is left.
    queue : int32 array, shape (kinds,)
        Deleted kinds, in the order of their deletion.
    stack, stack_vc : arrays
        Dead states and their VCs.
    cursor : int64 array, shape (3,)
        Next VC whose doomed states go on the stack; head and tail of the queue.
    """

    live: npt.NDArray[np.int64]
    on: npt.NDArray[np.int32]
    supported: npt.NDArray[np.int32]
    removed: npt.NDArray[np.int64]
    queue: npt.NDArray[np.int32]
    stack: npt.NDArray[np.int64]
    stack_vc: npt.NDArray[np.int32]
    cursor: npt.NDArray[np.int64]


class Heads(NamedTuple):
    """Room for blocked heads, as `unknot.verify.remainder.Remainder` has them."""

    input_vc: npt.NDArray[np.int32]
    address: npt.NDArray[np.int32]
    owner: npt.NDArray[np.int32]
    first: npt.NDArray[np.int64]
    wait: npt.NDArray[np.int32]


def state_types(t):
    return t.NamedTuple((t.READ64, t.READ32, t.READ64, t.I64, t.READ32, t.READ32), States)


def edge_types(t):
    return t.NamedTuple((t.READ64, t.READ64, t.READ32, t.READ32, t.READ32, t.READ64, t.READ32), Edges)


def rule_types(t):
    return t.NamedTuple((t.boolean,) * 3, Rules)


def mark_types(t):
    return t.NamedTuple((t.I64, t.I32, t.I32, t.I64, t.I32, t.I64, t.I32, t.I64), Marks)


def head_types(t):
    return t.NamedTuple((t.I32, t.I32, t.I32, t.I64, t.I32), Heads)


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


@kernel(lambda t: t.void(state_types(t), edge_types(t), rule_types(t), t.READ_BOOL, mark_types(t)))
def begin(states, edges, rules, cyclic, marks):
    """Count what supports states and VCs at first, and delete VCs that nothing supports."""
    state_first, _, word, bits, ring, leader = states
    live_first, _, _, _, kind, member_first, member = edges
    spread, commits, entered = rules
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


@kernel(lambda t: t.int64(t.int64, state_types(t), mark_types(t), t.int64))
def _lose(s, states, marks, size):
    """Note that a state lost its last support of its own; stack its component when all of its states have."""
    ring, leader = states.ring, states.leader
    supported, stack = marks.supported, marks.stack
    supported[leader[s]] -= 1
    if supported[leader[s]] == 0:
        t = s
        while True:
            stack[size] = t
            # The VC of a state is not stored: 4 bytes a state would be a third more memory.
            marks.stack_vc[size] = np.searchsorted(states.state_first, t, side="right") - 1
            size += 1
            t = np.int64(ring[t])
            if t == s:
                break
    return size


@kernel(
    lambda t: t.UniTuple(t.int64, 2)(
        t.int64, t.int64, t.int64, t.int64, state_types(t), edge_types(t), rule_types(t), mark_types(t)
    )
)
def _unblock(v, edge, s, end, states, edges, rules, marks):
    """Stack those states s to `end` of VC v that were only blocked, and by waiting for an edge that is dead.

    Where states form components it stops at the first such state, for its component goes on the stack too. Returns
    the state to go on from and the size of the stack.
    """
    word, bits, live_first, live = states.word, states.bits, edges.live_first, marks.live
    spread, commits, entered = rules
    size = 0
    together = spread and states.ring.size > 0
    words = live_first[v + 1] - live_first[v]
    shift = word[v] - states.state_first[v] * words
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
                size = _lose(s - 1, states, marks, size)
            else:
                marks.stack[size] = s - 1
                marks.stack_vc[size] = v
                size += 1
    return s, size


@kernel(lambda t: t.boolean(state_types(t), edge_types(t), rule_types(t), mark_types(t), t.int64))
def drain(states, edges, rules, marks, budget):
    """Delete VCs until each one left has a state from which a header may come to block for good.

    Without `spread` (saf, vct) that is a state all of whose waits are left. With `spread` (wormhole) it is a state
    from which such a state is reached over states that are left. States of one address that lie on a cycle live and
    die together, since a state dies only when it can no longer reach a blocked one; so the count of what supports a
    component is exact, and deletion takes linear time. With `entered`, only packets that stand in the first VC of
    their route may block.

    Goes on from where it stopped; returns whether it is done, or False after about `budget` looks at states.
    """
    state_first, owner, word, bits, ring, _ = states
    live_first, back_first, back_vc, back_edge, kind, member_first, member = edges
    spread, commits, _ = rules
    live, on, _, removed, queue, stack, stack_vc, cursor = marks
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
                    size = _lose(low, states, marks, size)
                else:
                    stack[size] = low
                    stack_vc[size] = u
                    size += 1
        elif scan < scan_end:
            scan, size = _unblock(p, edge, scan, scan_end, states, edges, rules, marks)
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
        state_types(t), edge_types(t), rule_types(t), t.READ64, t.READ32, mark_types(t), t.int64, head_types(t), t.I64
    )
)
def pick(states, edges, rules, inner_first, inner, marks, most, heads, sizes):
    """Pick for each VC that is left up to `most` blocked states, no two of which wait for the same VCs that are left.

    Edge e of VC v leads to inner[inner_first[v] + e]. `sizes` becomes how many states and heads were picked.
    """
    state_first, owner, word, bits, _, _ = states
    live_first, kind = edges.live_first, edges.kind
    live, removed = marks.live, marks.removed
    _, commits, entered = rules
    input_vc, address, head_owner, head_first, head_wait = heads
    words = 0
    for v in range(kind.size):
        words = max(words, live_first[v + 1] - live_first[v])
    known, waits = np.empty((most, words), np.int64), np.empty(words, np.int64)
    count, many = 0, 0
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
            filled = head_first[many]
            for e in range(inner_first[v + 1] - inner_first[v]):
                if (waits[e // SPAN] >> (e % SPAN)) & 1:
                    head_wait[filled] = inner[inner_first[v] + e]
                    filled += 1
                    if commits:
                        head_owner[many] = count
                        many += 1
                        head_first[many] = filled
            if not commits:
                head_owner[many] = count
                many += 1
                head_first[many] = filled
            count += 1
            if picked == most:
                break
    sizes[0], sizes[1] = count, many
