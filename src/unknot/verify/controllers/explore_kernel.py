# mypy: ignore-errors
"""Exploration of packed states of controllers."""

from unknot._base.kernels.lazy_kernel import I64, READ64, kernel
from unknot.verify.controllers.packed_kernel import StateStore, StepTables, enter, entry, least, step

DONE, NEEDS, FULL, PAUSE, LONG, DEAD = range(6)
"""Why `explore` returns: all states are found; entries are needed; arrays are full; a slice of work is done; a state
has too many messages; nothing moves in the state."""
STALLS, LACKS, REFUSED, TIMED = 1, 2, 4, 8
"""Flags: some outcome is a stall; no outcome at all; a core waits for nothing; something comes by itself."""
SEATS, FORMS, FINITE, AT, COUNT, WORDS, KINDS, KIND_WORDS, WANTED, STOP, MOST, EACH = range(12)
"""Places in `shape`: seats, exchanges of names, whether queues are finite; the next state; states and their words;
kinds of waiting states and their words; entries needed; the last state of the slice; most messages; states kept of
each kind."""


@kernel(allocates=False)
def leads(state: READ64, k: int, seats: int, key: READ64) -> int:
    """Whether a message is the first of those with its key."""
    return k == seats or key[state[k]] != key[state[k - 1]]


@kernel(allocates=False)
def arrives(state: READ64, seats: int, size: int, k: int, table: StepTables) -> int:
    """Whether no other message is at the head of the queue of one."""
    for j in range(seats, size):
        if j != k and table.head[state[j]] == -1 and table.queue[state[j]] == table.queue[state[k]]:
            return 0
    return 1


@kernel(allocates=False)
def wanted(shape: I64, size: int, table: StepTables, kept: StateStore) -> int:
    """Return how many entries are needed for the state `here` and unknown, and list them."""
    here, seats, count = kept.here, shape[SEATS], 0
    for k in range(size):
        if k < seats:
            if table.begin[here[k]] >= 0:
                continue
            kept.wanted[2 * count], kept.wanted[2 * count + 1] = here[k], -1
        else:
            if not leads(here, k, seats, table.key) or (shape[FINITE] and table.head[here[k]] >= 0):
                continue
            row = here[table.at[here[k]]]
            if entry(table.met, table.found, (row << 31) + here[k]) >= 0:
                continue
            kept.wanted[2 * count], kept.wanted[2 * count + 1] = row, here[k]
        count += 1
    return count


@kernel(allocates=False)
def onward(shape: I64, size: int, at: int, table: StepTables, kept: StateStore) -> int:
    """Enter the states after the state `here`; return flags of what moves by itself, or −FULL or −LONG.

    Flags are 1 if anything but a core moves, and 2 if a core waits for nothing.
    """
    here, seats, moving, refused = kept.here, shape[SEATS], 0, 0
    for k in range(size):
        if k < seats:
            first = table.begin[here[k]]
        elif not leads(here, k, seats, table.key):
            continue
        elif shape[FINITE] and table.head[here[k]] >= 0:
            first = -1
        else:
            first = entry(table.met, table.found, (here[table.at[here[k]]] << 31) + here[k])
        many, outcome = 1, -1
        if first >= 0:
            flags, many, outcome = table.acts[first], table.acts[first + 1], first + 2
            moving |= (flags & (LACKS | TIMED)) > 0
            refused |= (flags & REFUSED) > 0
        elif not arrives(here, seats, size, k, table):
            continue
        for _ in range(many):
            length = step(here, size, seats, k, outcome, table, kept.after)
            if outcome >= 0:
                outcome += 3 + table.acts[outcome + 2]
            if length < 0:
                continue
            moving |= k >= seats and (shape[FINITE] > 0 or table.head[here[k]] == -2)
            if length - seats > shape[MOST]:
                return -LONG
            least(kept.after, length, seats, shape[FORMS], table, kept.best, kept.trial)
            found = enter(kept.best, length, kept.words, kept.start, kept.slots, shape[COUNT], shape[WORDS])
            if found < 0:
                return -FULL
            if found == shape[COUNT]:
                kept.before[found] = at
                shape[COUNT] += 1
                shape[WORDS] += length
    return moving | (refused << 1)


@kernel(allocates=False)
def wait(shape: I64, size: int, at: int, table: StepTables, kept: StateStore) -> int:
    """Enter the kind of a waiting state: its queues × 2, and 1 more for those with a stalled head; 0 if full."""
    here, seats, count = kept.here, shape[SEATS], 0
    row = kept.after
    for k in range(seats, size):
        if table.head[here[k]] == -2 or not leads(here, k, seats, table.key):
            continue
        queue = table.queue[here[k]]
        first = entry(table.met, table.found, (here[table.at[here[k]]] << 31) + here[k])
        stalls = table.acts[first] & STALLS
        j = 0
        while j < count and row[j] >> 1 < queue:
            j += 1
        if j < count and row[j] >> 1 == queue:
            row[j] |= stalls
            continue
        for i in range(count, j, -1):
            row[i] = row[i - 1]
        row[j] = 2 * queue + stalls
        count += 1
    for j in range(count):
        if not row[j] & 1 and not table.blocks[row[j] >> 1]:
            return 1
    found = enter(row, count, kept.kinds, kept.kind_start, kept.kind_slots, shape[KINDS], shape[KIND_WORDS])
    each = shape[EACH]
    if found < 0 or (found + 1) * each > len(kept.examples):
        return 0
    if found == shape[KINDS]:
        shape[KINDS] += 1
        shape[KIND_WORDS] += count
        for j in range(each):
            kept.examples[found * each + j] = -1
    for j in range(each):
        if kept.examples[found * each + j] < 0:
            kept.examples[found * each + j] = at
            break
    return 1


@kernel(allocates=False)
def explore(shape: I64, table: StepTables, kept: StateStore) -> int:
    """Visit found states in turn, up to `shape[STOP]`; return the reason of the end."""
    seats = shape[SEATS]
    while shape[AT] < shape[COUNT]:
        at = shape[AT]
        if at >= shape[STOP]:
            return PAUSE
        first = kept.start[at]
        size = kept.start[at + 1] - first
        for k in range(size):
            kept.here[k] = kept.words[first + k]
        shape[WANTED] = wanted(shape, size, table, kept)
        if shape[WANTED]:
            return NEEDS
        flags = onward(shape, size, at, table, kept)
        if flags < 0:
            return -flags
        if not flags & 1 and (flags & 2 or size > seats):
            if shape[FINITE]:
                return DEAD
            if not wait(shape, size, at, table, kept):
                return FULL
        shape[AT] += 1
    return DONE
