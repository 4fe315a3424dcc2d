"""Rows and messages of controllers as numbers, and tables of what nodes do, for kernels that explore.

Tables are filled as they are needed: a kernel says which entries it lacks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import permutations, product

import numpy as np

from unknot._base.arrays import Ints
from unknot._base.kernels.lazy_kernel import plainly, viewed
from unknot.verify.controllers.explore_kernel import LACKS, REFUSED, STALLS, TIMED
from unknot.verify.controllers.packed_kernel import StepTables, entry, slot_of
from unknot.verify.controllers.renaming import Order, Renaming
from unknot.verify.controllers.steps import (
    ASIDE,
    Controllers,
    ControllerStep,
    Message,
    MessageLine,
    Node,
    Outcome,
    State,
    moves,
)

AMPLE = 2**40
"""Room where there is no limit."""
ARRIVED, BESIDE = -1, -2
"""In place of the number at the head of a queue: the message is there, or was set aside."""
Form = tuple[Order, tuple[int, ...]]
"""New numbers of caches, and of addresses."""
Met = tuple[int, MessageLine, Message, bool]
"""A message of an address on its line, and whether it has arrived at the head of its queue."""


class Growing:
    """Numbers in an array that grows."""

    def __init__(self, fill: int = 0) -> None:
        self.fill, self.size = fill, 0
        self.data: Ints = np.full(256, fill, dtype=np.int64)

    def extend(self, numbers: Sequence[int]) -> int:
        """Append numbers; return the place of the first."""
        at, self.size = self.size, self.size + len(numbers)
        while self.size > self.data.size:
            self.data = np.concatenate([self.data, np.full(self.data.size, self.fill, dtype=np.int64)])
        self.data[at : self.size] = numbers
        return at

    def put(self, at: int, numbers: Sequence[int]) -> None:
        """Write numbers at a place."""
        self.data[at : at + len(numbers)] = numbers


class Packed:
    """Rows, messages and what nodes do, as numbers.

    Parameters
    ----------
    controllers : Controllers
        The nodes.
    addresses : int
        How many are explored together.
    homes : int
        0: queues and tables of transactions hold any number, and messages are met wherever they are. 1: rooms and
        limits of the table hold, and all addresses have one home; else each has its own.
    anywhere : bool
        Whether a message may wait behind one that another node stalls, in the channels of a network.
    """

    def __init__(
        self, controllers: Controllers, addresses: int = 1, homes: int = 0, *, anywhere: bool = False
    ) -> None:
        self.controllers, self.finite, self.anywhere = controllers, homes > 0, anywhere
        self.names, self.count = Renaming(controllers), len(controllers.kinds)
        self.shared = homes <= 1
        self.forms = [*product(self.names.renamed, permutations(range(addresses)))]
        self.seats = [(address, node) for address in range(addresses) for node in range(self.count)]
        seat = [self._seat(n, a, form) for form in self.forms for a, n in self.seats]
        self.seat = np.array(seat, dtype=np.int64)
        self.node = np.array([self._place(n, a) for a, n in self.seats], dtype=np.int64)
        limits = controllers.table.limits
        self.limit = np.array([limits.get(controllers.kinds[n].name, AMPLE) for _, n in self.seats], dtype=np.int64)
        self.rows: dict[tuple[int, Node], int] = {}
        self.messages: dict[Met, int] = {}
        self.lines: dict[object, int] = {}
        self.made: dict[int, tuple[str, Outcome]] = {}
        self.row_to, self.begin, self.holds, self.acts = (Growing() for _ in range(4))
        self.to, self.key, self.at, self.queue, self.head = (Growing() for _ in range(5))
        self.met, self.found = (np.full(1 << 10, fill, dtype=np.int64) for fill in (-1, 0))
        self.entries = 0
        self.network, self.room, self.blocks = self._queues()
        self.row_at: list[tuple[int, Node]] = []
        self.message_at: list[Met] = []
        self.start = [self.row(seat, controllers.start[0][node]) for seat, (_, node) in enumerate(self.seats)]

    def _seat(self, node: int, address: int, form: Form) -> int:
        return form[1][address] * self.count + self.names.renamed[form[0]][node]

    def _place(self, node: int, address: int) -> int:
        """A number for a node, or for the home of an address."""
        return node if self.shared or self.controllers.kinds[node].many else node + address * self.count

    def _queues(self) -> tuple[list[int], Ints, Ints]:
        """Queue of each group at a node, room of each queue of a node, and whether it can ever stand still.

        Endless queues are of groups alone, since networks are judged later.
        """
        table, named = self.controllers.table, [*self.controllers.table.designed]
        own = {table.group(name): table.network(name) for name in table.messages}
        stalled = {
            (kind.name, table.group(rule.event))
            for kind, rule in table.rules()
            if rule.answer == "stall" and rule.event in table.messages
        }
        blocks = [
            any(
                (self.anywhere or kind == self.controllers.kinds[node].name)
                and (group == other if own[group] in table.inside else own[other] not in table.inside)
                for kind, other in stalled
            )
            for _, node in self.seats
            for group in table.groups
        ]
        each = [table.rooms.get(name, AMPLE) for name in named]
        row = [*each, *[0] * (len(table.groups) - len(each))]
        network = [named.index(own[group]) for group in table.groups]
        return (
            network if self.finite else [*range(len(network))],
            np.array(row * len(self.seats) if self.finite else [AMPLE] * len(blocks), dtype=np.int64),
            np.array(blocks, dtype=np.int64),
        )

    def row(self, seat: int, row: Node) -> int:
        """Return the number of a row. All renamed forms get numbers together."""
        if (seat, row) not in self.rows:
            forms = dict.fromkeys(self._other_row(seat, row, form) for form in self.forms)
            for one in forms:
                self.rows[one] = len(self.rows)
                self.row_at.append(one)
                kind = self.controllers.kinds[one[0] % self.count]
                self.begin.extend([-1])
                self.holds.extend([self.controllers.states[kind.name][one[1][0]] in kind.entries])
                self.row_to.extend([0] * len(self.forms))
            for one in forms:
                others = [self.rows[self._other_row(*one, form)] for form in self.forms]
                self.row_to.put(self.rows[one] * len(self.forms), others)
        return self.rows[seat, row]

    def _other_row(self, seat: int, row: Node, form: Form) -> tuple[int, Node]:
        address, node = self.seats[seat]
        return self._seat(node, address, form), self.names.row(node, row, form[0])

    def message(self, met: Met) -> int:
        """Return the number of a message. All renamed forms, and their arrived forms, get numbers together."""
        if met not in self.messages:
            forms = dict.fromkeys(self._other_message(met, form) for form in self.forms)
            for one in forms:
                self._number(one)
            for one in forms:
                others = [self.messages[self._other_message(one, form)] for form in self.forms]
                self.to.put(self.messages[one] * len(self.forms), others)
        return self.messages[met]

    def _other_message(self, met: Met, form: Form) -> Met:
        address, line, message, arrived = met
        return form[1][address], self.names.line(line, form[0]), self.names.message(message, form[0]), arrived

    def _number(self, met: Met) -> None:
        address, line, message, arrived = met
        aside = line.group == ASIDE
        head = BESIDE if aside else ARRIVED
        if self.finite and not aside and not arrived:
            head = self.message((address, line, message, True))
        number = self.messages[met] = len(self.messages)
        self.message_at.append(met)
        ordered = not aside and not arrived and self.controllers.ordered[line.group]
        target, source = self._place(line.target, address), self._place(line.source, address)
        place = self.lines.setdefault((target, line.group, source) if ordered else met, len(self.lines))
        network = self.network[self.controllers.group_of[message[0]]]
        self.key.extend([(place << 31) + (0 if ordered else number + 1)])
        self.at.extend([address * self.count + line.target])
        self.queue.extend([target * len(self.network) + network])
        self.head.extend([head])
        self.to.extend([0] * len(self.forms))

    def fill(self, wanted: Iterable[tuple[int, int]]) -> list[tuple[int, str]]:
        """Enter what nodes do with messages, or by themselves for −1; return rows and events without a cell."""
        lacking = []
        for row, message in wanted:
            if message < 0:
                self.begin.data[row] = self._begun(row)
                continue
            at = self._answers(row, message)
            if self.acts.data[at] & LACKS:
                lacking.append((row, self.event(message)))
            self._enter((row << 31) + message, at)
        return lacking

    def complete(self, words: Sequence[int]) -> None:
        """Enter what nodes do in a state."""
        seats = len(self.seats)
        pairs = [(row, -1) for row in words[:seats]]
        pairs += [(words[self.at.data[one]], one) for one in words[seats:]]
        with plainly():
            table = self.tables()
            known = [
                table.begin[row] if one < 0 else entry(table.met, table.found, (row << 31) + one)
                for row, one in pairs
            ]
        self.fill(pair for pair, at in zip(pairs, known, strict=True) if at < 0)

    def event(self, message: int) -> str:
        """The name of a message."""
        return self.controllers.table.messages[self.message_at[message][2][0]]

    def _enter(self, key: int, entry: int) -> None:
        if 2 * self.entries >= self.met.size:
            keys, found = self.met[self.met >= 0], self.found[self.met >= 0]
            self.met, self.found = (np.full(4 * self.met.size, fill, dtype=np.int64) for fill in (-1, 0))
            for one, at in zip(keys.tolist(), found.tolist(), strict=True):
                self._hash(one, at)
        self._hash(key, entry)
        self.entries += 1

    def _hash(self, key: int, entry: int) -> None:
        mask = self.met.size - 1
        with plainly():
            slot = slot_of(key, mask)
        while self.met[slot] >= 0:
            slot = (slot + 1) & mask
        self.met[slot], self.found[slot] = key, entry

    def _begun(self, number: int) -> int:
        """The entry of what a node begins by itself."""
        seat, row = self.row_at[number]
        node, flags = self.seats[seat][1], 0
        kind = self.controllers.kinds[node]
        done = {event: self.controllers.outcomes(node, row, event, node, ()) for event in kind.begun}
        asked = [one.answer for event in kind.core for one in done[event]]
        flags |= REFUSED * (bool(asked) and "take" not in asked) | TIMED * any(done[event] for event in kind.timers)
        begun = [
            (event, one) for event, several in done.items() for one in several
            if one.answer == "take" and (one.sends or one.row != row)
        ]  # fmt: skip
        return self._entry(flags, seat, begun, None)

    def _answers(self, number: int, message: int) -> int:
        """The entry of what a node does with a message."""
        _, line, carried, _ = self.message_at[message]
        seat, row = self.row_at[number]
        node = self.seats[seat][1]
        event = self.controllers.table.messages[carried[0]]
        outcomes = self.controllers.outcomes(node, row, event, line.source, carried)
        flags = LACKS * (not outcomes) | STALLS * any(one.answer == "stall" for one in outcomes)
        step = ControllerStep(node, event, line, carried)
        return self._entry(flags, seat, [(event, one) for one in outcomes if moves(step, one)], message)

    def _entry(self, flags: int, seat: int, outcomes: Sequence[tuple[str, Outcome]], message: int | None) -> int:
        address = self.seats[seat][0]
        numbers: list[int] = [flags, len(outcomes)]
        made = []
        for event, one in outcomes:
            kept = 1 if one.answer == "act" else 0
            if one.answer == "set aside" and message is not None:
                _, line, carried, _ = self.message_at[message]
                kept = 2 + self.message((address, line._replace(group=ASIDE), carried, False))
            sends = [self.message((address, line, sent, False)) for line, sent in one.sends]
            made.append((len(numbers), event, one))
            numbers += [self.row(seat, one.row), kept, len(sends), *sends]
        at = self.acts.extend(numbers)
        self.made |= {at + place: (event, one) for place, event, one in made}
        return at

    def tables(self) -> StepTables:
        """The tables as they are now."""
        growing = (self.row_to, self.begin, self.holds, self.to, self.key, self.at, self.queue, self.head, self.acts)
        arrays = (self.seat, self.node, self.limit, *(one.data for one in growing), self.met, self.found)
        return StepTables(*map(viewed(), (*arrays, self.room, self.blocks)))

    def state(self, words: Sequence[int], address: int = 0) -> State:
        """The state of an address in packed form."""
        mine = words[address * self.count : (address + 1) * self.count]
        rows = tuple(self.row_at[word][1] for word in mine)
        lines: dict[MessageLine, list[Message]] = {}
        for word in words[len(self.seats) :]:
            at, line, message, _ = self.message_at[word]
            if at == address:
                lines.setdefault(line, []).append(message)
        kept = {line for line in lines if line.group != ASIDE and self.controllers.ordered[line.group]}
        channels = ((line, tuple(some if line in kept else sorted(some))) for line, some in lines.items())
        return rows, tuple(sorted(channels))
