# mypy: ignore-errors
"""Packed states of controllers, and what becomes of one in a step.

A state is the number of a row for each seat, then the numbers of its messages in order of their keys. Seats are
nodes, for each address. `acts` has an entry for each row and message met: flags, how many outcomes, and for each
outcome the next row, what becomes of the message (0: it is gone, 1: it stays, else 2 and its number beside its
queue), how many messages are sent, and these.
"""

from typing import NamedTuple

from unknot._base.kernels.lazy_kernel import I32, I64, READ64, kernel


class StepTables(NamedTuple):
    """What nodes do; all arrays are of numbers of 64 bits.

    Attributes
    ----------
    seat, node, limit : arrays
        Seat of each exchange and seat; node of each seat; most rows that hold an entry, by node.
    row_to, begin, holds : arrays
        Rows and exchanges: the other row. Rows: the entry of what begins by itself, −1 if unknown; whether it holds
        an entry.
    to, key, at, queue, head : arrays
        Messages and exchanges: the other message. Messages: key in the order of a state, seat, queue, and number of
        the message at the head of its queue; −1 for such, −2 for those set aside.
    acts, met, found : arrays
        Entries; a hash table of rows and messages, row × 2³¹ + message, and the entries of each.
    room, blocks : arrays
        Queues: room for messages; whether they can ever stand still.
    """

    seat: READ64
    node: READ64
    limit: READ64
    row_to: READ64
    begin: READ64
    holds: READ64
    to: READ64
    key: READ64
    at: READ64
    queue: READ64
    head: READ64
    acts: READ64
    met: READ64
    found: READ64
    room: READ64
    blocks: READ64


class StateStore(NamedTuple):
    """Found states: words and where each begins, the state before, slots of a hash table; waiting kinds likewise."""

    words: I32
    start: I64
    before: I32
    slots: I32
    kinds: I32
    kind_start: I64
    kind_slots: I32
    examples: I32
    here: I64
    after: I64
    best: I64
    trial: I64
    wanted: I64


@kernel(inline=True, allocates=False)
def slot_of(key: int, mask: int) -> int:
    """Return the first slot to look at for a row and a message."""
    return ((key ^ (key >> 31)) * 40503) & mask


@kernel(inline=True, allocates=False)
def mixed(value: int, word: int) -> int:
    """Return the hash of some words and a further one."""
    value = ((value ^ word) * 1000003) & 0x7FFFFFFF
    return value ^ (value >> 15)


@kernel(allocates=False)
def entry(met: READ64, found: READ64, key: int) -> int:
    """Return the entry of a row and a message, −1 if it is not known."""
    mask = len(met) - 1
    slot = slot_of(key, mask)
    while met[slot] >= 0:
        if met[slot] == key:
            return found[slot]
        slot = (slot + 1) & mask
    return -1


@kernel(allocates=False)
def enter(row: READ64, size: int, words: I32, start: I64, slots: I32, count: int, used: int) -> int:
    """Return the number of a row of words; `count` if it is new and now entered, −1 if there is no room."""
    value = 7
    for k in range(size):
        value = mixed(value, row[k])
    mask = len(slots) - 1
    slot = value & mask
    while slots[slot] >= 0:
        one = slots[slot]
        first = start[one]
        if start[one + 1] - first == size:
            k = 0
            while k < size and words[first + k] == row[k]:
                k += 1
            if k == size:
                return one
        slot = (slot + 1) & mask
    if count + 2 > len(start) or used + size > len(words) or 4 * count > 3 * len(slots):
        return -1
    for k in range(size):
        words[used + k] = row[k]
    start[count + 1] = used + size
    slots[slot] = count
    return count


@kernel(allocates=False)
def put(row: I64, low: int, size: int, message: int, key: READ64) -> None:
    """Put a message into those at low…size of a row, after all with keys up to its own."""
    k = size
    while k > low and key[row[k - 1]] > key[message]:
        row[k] = row[k - 1]
        k -= 1
    row[k] = message


@kernel(allocates=False)
def step(state: READ64, size: int, seats: int, taken: int, outcome: int, table: StepTables, after: I64) -> int:
    """Write the state after an outcome of a message, or of the seat `taken`; return its size, −1 if it cannot be.

    The outcome −1 is the arrival of a message at its queue.
    """
    for k in range(seats):
        after[k] = state[k]
    kept, sent = 0, 0
    if outcome >= 0:
        kept, sent = table.acts[outcome + 1], table.acts[outcome + 2]
        seat = taken if taken < seats else table.at[state[taken]]
        after[seat] = table.acts[outcome]
        if table.holds[after[seat]] and not table.holds[state[seat]]:
            free = table.limit[table.node[seat]]
            for k in range(seats):
                free -= table.node[k] == table.node[seat] and table.holds[state[k]]
            if free <= 0:
                return -1
    count = seats
    for k in range(seats, size):
        if k != taken or kept == 1:
            after[count] = state[k]
            count += 1
    if outcome < 0:
        put(after, seats, count, table.head[state[taken]], table.key)
        return count + 1
    if kept > 1:
        put(after, seats, count, kept - 2, table.key)
        count += 1
    for k in range(outcome + 3, outcome + 3 + sent):
        put(after, seats, count, table.acts[k], table.key)
        count += 1
    for k in range(outcome + 3, outcome + 3 + sent):
        queue, held = table.queue[table.acts[k]], 0
        for j in range(seats, count):
            held += table.queue[after[j]] == queue
        if held > table.room[queue]:
            return -1
    return count


@kernel(allocates=False)
def least(row: READ64, size: int, seats: int, forms: int, table: StepTables, best: I64, trial: I64) -> None:
    """Write the least of all forms of a state that differ in names of caches and addresses alone."""
    for k in range(size):
        best[k] = row[k]
    for form in range(1, forms):
        for k in range(seats):
            trial[table.seat[form * seats + k]] = table.row_to[row[k] * forms + form]
        order, k = 0, 0
        while k < seats and order == 0:
            order = trial[k] - best[k]
            k += 1
        if order > 0:
            continue
        for k in range(seats, size):
            put(trial, seats, k, table.to[row[k] * forms + form], table.key)
        k = seats
        while k < size and order == 0:
            order = trial[k] - best[k]
            k += 1
        if order < 0:
            for k in range(size):
                best[k] = trial[k]


@kernel(allocates=False)
def hash_again(words: I32, start: I64, count: int, slots: I32) -> None:
    """Fill the slots of a hash table of states; they are −1."""
    mask = len(slots) - 1
    for one in range(count):
        value = 7
        for k in range(start[one], start[one + 1]):
            value = mixed(value, words[k])
        slot = value & mask
        while slots[slot] >= 0:
            slot = (slot + 1) & mask
        slots[slot] = one
