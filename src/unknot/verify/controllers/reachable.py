"""All states of controllers, up to names of caches and addresses.

Other addresses only delay messages, as long as queues are endless. So the states that an address can be in do not
depend on them, and a state of several addresses consists of these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from unknot._base.arrays import Ints
from unknot._base.deadline import Deadline
from unknot._base.kernels.lazy_kernel import is_small, plainly, viewed
from unknot._base.memory import limit
from unknot._base.work import spend
from unknot.verify.controllers import explore_kernel, packed_kernel
from unknot.verify.controllers.explore_kernel import (
    AT,
    COUNT,
    EACH,
    FORMS,
    KIND_WORDS,
    KINDS,
    MOST,
    STOP,
    WANTED,
    WORDS,
)
from unknot.verify.controllers.packed import Packed
from unknot.verify.controllers.packed_kernel import StateStore
from unknot.verify.controllers.steps import ControllerStep, State

SECONDS = 4e-6
"""Time of a state, as measured with gem5's protocols."""
SMALL = 20
"""Visits of `is_small` that a state takes in plain Python."""
MOST_STATES = 10_000_000
MOST_MESSAGES = 64
"""Messages under way for one address from which on there is no end of them."""
SLICE = 20_000
"""States between two looks at the time."""
EXAMPLES = 6
"""States of each kind of waiting that are kept."""
TIME = "the time limit"
Step = tuple[int, ControllerStep | None, list[int]]
"""The address of a step, the step, None for a message that arrives, and the packed state after it."""


@dataclass(frozen=True)
class WaitingQueues:
    """Queues with messages in a state of an address without a step but of cores.

    Attributes
    ----------
    full : frozenset of (node, group)
        Groups of a node with messages that may come to the head of its queue.
    stalls : frozenset of (node, group)
        Those with a message that may be there and is stalled.
    """

    full: frozenset[tuple[int, int]]
    stalls: frozenset[tuple[int, int]]


@dataclass
class Reached:
    """Found states, and missing cells of the table.

    Attributes
    ----------
    packed : Packed
        What their numbers mean.
    whole : bool
        Whether all states were found.
    lacking : dict
        By kind, state and message of a cell that is missing, the number of a state in which it is needed.
    limit : str
        What ended the search, if anything did.
    dead : int or None
        With finite queues, the number of a state in which nothing moves.
    """

    packed: Packed
    whole: bool = False
    lacking: dict[tuple[str, str, str], int] = field(default_factory=dict)
    limit: str = ""
    dead: int | None = None

    def __post_init__(self) -> None:
        packed, seats = self.packed, len(self.packed.seats)
        self.shape: Ints = np.zeros(12, dtype=np.int64)
        finite = packed.finite
        self.shape[:3] = seats, len(packed.forms), finite
        self.shape[MOST], self.shape[EACH] = MOST_MESSAGES * (1 + packed.seats[-1][0]), EXAMPLES
        width = seats + 4 * int(self.shape[MOST])
        here, after, best, trial, wanted = np.zeros((5, 2 * width), dtype=np.int64)
        words, before, kinds, examples = np.zeros((4, EXAMPLES << 9), dtype=np.int32)
        start, kind_start = np.zeros((2, 1 << 9), dtype=np.int64)
        slots, kind_slots = np.full((2, 1 << 10), -1, dtype=np.int32)
        self.store = StateStore(
            words, start, before, slots, kinds, kind_start, kind_slots, examples, here, after, best, trial, wanted
        )
        self.enter(packed.start)

    def enter(self, words: Sequence[int]) -> None:
        """Enter the first state."""
        row = np.array(words, dtype=np.int64)
        store = self.store
        with plainly():
            packed_kernel.enter(row, row.size, store.words, store.start, store.slots, 0, 0)
        store.before[0] = -1
        self.shape[COUNT], self.shape[WORDS] = 1, row.size

    @property
    def count(self) -> int:
        """How many states were found."""
        return int(self.shape[COUNT])

    def words(self, number: int) -> list[int]:
        """A state in packed form."""
        begin, end = self.store.start[number : number + 2]
        return [int(one) for one in self.store.words[begin:end]]

    def state(self, number: int) -> State:
        """A state of one address."""
        return self.packed.state(self.words(number))

    def grow(self) -> None:
        """Make room for more states and kinds of waiting ones."""
        store = self.store
        slots = store.slots
        if 4 * self.count > slots.size:
            slots = np.full(4 * slots.size, -1, dtype=np.int32)
            packed_kernel.hash_again(store.words, store.start, self.count, slots)
        kind_slots = np.full(2 * store.kind_slots.size, -1, dtype=np.int32)
        packed_kernel.hash_again(store.kinds, store.kind_start, int(self.shape[KINDS]), kind_slots)
        self.store = store._replace(
            words=_longer(store.words, int(self.shape[WORDS])),
            start=_longer(store.start, self.count),
            before=_longer(store.before, self.count),
            slots=slots,
            kinds=_longer(store.kinds, int(self.shape[KIND_WORDS])),
            kind_start=_longer(store.kind_start, int(self.shape[KINDS])),
            kind_slots=kind_slots,
            examples=_longer(store.examples, EXAMPLES * int(self.shape[KINDS])),
        )

    @property
    def bytes_each(self) -> float:
        """Bytes of a state at the peak, where arrays are copied into ones of twice their size: words and places."""
        return 3 * (4 * int(self.shape[WORDS]) / self.count + 8 + 4) + 4 * 8

    def fill(self) -> None:
        """Enter in the tables what the kernel lacks."""
        wanted = self.store.wanted[: 2 * int(self.shape[WANTED])].reshape(-1, 2).tolist()
        for row, event in self.packed.fill((int(row), int(message)) for row, message in wanted):
            seat, (number, *_) = self.packed.row_at[row]
            kind = self.packed.controllers.kinds[self.packed.seats[seat][1]].name
            cell = kind, self.packed.controllers.states[kind][number], event
            self.lacking.setdefault(cell, int(self.shape[AT]))

    def waiting(self) -> dict[WaitingQueues, list[int]]:
        """Kinds of waiting states, and the first states of each."""
        groups, store, kinds = len(self.packed.network), self.store, {}
        for kind in range(int(self.shape[KINDS])):
            row = store.kinds[store.kind_start[kind] : store.kind_start[kind + 1]].tolist()
            queues = [(divmod(one >> 1, groups), one & 1) for one in row]
            full, stalls = (frozenset(queue for queue, still in queues if still >= least) for least in (0, 1))
            some = store.examples[kind * EXAMPLES : (kind + 1) * EXAMPLES].tolist()
            kinds[WaitingQueues(full, stalls)] = [one for one in some if one >= 0]
        return kinds

    def run(self, number: int) -> list[Step]:
        """Steps from the first state to another form of a state."""
        forms = [number]
        while self.store.before[forms[-1]] >= 0:
            forms.append(int(self.store.before[forms[-1]]))
        words, run = self.words(0), list[Step]()
        for form in reversed(forms[:-1]):
            goal = self.words(form)
            step = next(step for step in self.steps(words) if self.least(step[2]) == goal)
            words = step[2]
            run.append(step)
        return run

    def alone(self, number: int) -> list[tuple[ControllerStep, State]]:
        """Steps to another form of a state of one address, each with the state after it."""
        return [(step, self.packed.state(words)) for _, step, words in self.run(number) if step is not None]

    def least(self, words: Sequence[int]) -> list[int]:
        """The least form of a packed state."""
        best, trial = (np.zeros(len(words), dtype=np.int64) for _ in range(2))
        row, seats = np.array(words, dtype=np.int64), len(self.packed.seats)
        with plainly():
            packed_kernel.least(row, row.size, seats, int(self.shape[FORMS]), self.packed.tables(), best, trial)
        return best.tolist()

    def steps(self, words: Sequence[int]) -> Iterator[Step]:
        """Steps of a packed state."""
        packed, seats = self.packed, len(self.packed.seats)
        packed.complete(words)
        table = packed.tables()
        here, after = np.array(words, dtype=np.int64), np.zeros(self.store.after.size, dtype=np.int64)
        finite = packed.finite
        with plainly():
            for k, word in enumerate(words):
                outcome, many = -1, 1
                waits = k >= seats and finite and table.head[word] >= 0
                if k >= seats and not explore_kernel.leads(here, k, seats, table.key):
                    continue
                if waits and not explore_kernel.arrives(here, seats, here.size, k, table):
                    continue
                if not waits:
                    key = (words[table.at[word]] << 31) + word if k >= seats else 0
                    at = packed_kernel.entry(table.met, table.found, key) if k >= seats else table.begin[word]
                    outcome, many = int(at) + 2, int(table.acts[at + 1]) if at >= 0 else 0
                for _ in range(many):
                    length = packed_kernel.step(here, here.size, seats, k, outcome, table, after)
                    if length >= 0:
                        yield (*self._step(k, word, outcome), after[:length].tolist())
                    outcome += 3 + int(table.acts[outcome + 2]) if outcome >= 0 else 0

    def _step(self, k: int, word: int, outcome: int) -> tuple[int, ControllerStep | None]:
        """The address of a step, and the step."""
        packed = self.packed
        if k < len(packed.seats):
            address, node = packed.seats[k]
            event, one = packed.made[outcome]
            return address, ControllerStep(node, event, merged=one.merged)
        address, line, message, _ = packed.message_at[word]
        if outcome < 0:
            return address, None
        event, one = packed.made[outcome]
        return address, ControllerStep(line.target, event, line, message, one.merged, one.answer == "act")


def _longer(array: Any, used: int) -> Any:
    """An array with twice the room, if more than half is in use."""
    return np.concatenate([array, np.zeros_like(array)]) if 2 * used >= array.size else array


def explore(reached: Reached, deadline: Deadline, states: int) -> None:
    """Find all states, breadth first, until a number of them, the memory or the time is used up."""
    shape = reached.shape
    reached.whole, reached.limit = False, ""
    while not reached.limit:
        small = reached.count < SLICE and is_small(SMALL, explore_kernel.explore)
        before, shape[STOP] = int(shape[AT]), int(shape[AT]) + (64 if small else SLICE)
        with plainly(small):
            why = explore_kernel.explore(shape, reached.packed.tables(), StateStore(*map(viewed(), reached.store)))
        spend(SECONDS * (1 + int(shape[AT]) - before))
        if why == explore_kernel.DONE:
            reached.whole = True
            return
        if why == explore_kernel.DEAD:
            reached.dead = int(shape[AT])
            return
        if why == explore_kernel.NEEDS:
            reached.fill()
        elif why == explore_kernel.FULL:
            reached.grow()
        elif why == explore_kernel.LONG:
            reached.limit = f"more than {int(shape[MOST])} messages"
        if reached.count >= min(states, int(limit() / reached.bytes_each)):
            reached.limit = f"{reached.count:,} states"
        elif deadline.over:
            reached.limit = TIME
