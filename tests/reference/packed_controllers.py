"""The naive twin of controllers with states as numbers, a hundred thousand in a second; queues hold any number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.reference.controllers import Nodes, TooLargeError, Twin
from unknot.verify.controllers import StateTable


class PackedTwin(Twin):
    """The same states as numbers, breadth first: cells of `Twin` are looked up once for each row and message."""

    def __init__(self, table: StateTable, caches: int, addresses: int, *, shared: bool, most: int) -> None:
        super().__init__(table, caches, addresses, shared=shared, most=most)
        self.count = len(self.nodes)
        self.rows: list[Any] = []
        self.row_of: dict[Any, int] = {}
        self.mails: list[Any] = []
        self.mail_of: dict[Any, int] = {}
        self.keys: dict[Any, int] = {}
        self.queues: dict[Any, int] = {}
        self.key: list[int] = []
        self.at: list[tuple[int, int]] = []  # queue and seat of each message
        self.known: dict[Any, list[tuple[str, int, tuple[int, ...]]]] = {}

    def row(self, row: Any) -> int:
        if row not in self.row_of:
            self.row_of[row] = len(self.rows)
            self.rows.append(row)
        return self.row_of[row]

    def mail(self, message: Any) -> int:
        if message not in self.mail_of:
            self.mail_of[message] = len(self.mails)
            self.mails.append(message)
            self.key.append(self.keys.setdefault(self.line(message), len(self.keys)))
            queue = self.queues.setdefault(self.queue(message), len(self.queues))
            self.at.append((queue, message[0] * self.count + message[3]))
        return self.mail_of[message]

    def acts(self, seat: int, row: int, what: str | int) -> list[tuple[str, int, tuple[int, ...]]]:
        """Answers of a node to an event of its core or a message, with its row and what is sent."""
        asked = (seat, row, what)
        if asked not in self.known:
            address, node = divmod(seat, self.count)
            blank = self.first()
            rows = tuple((*blank[:node], self.rows[row], *blank[node + 1 :]) for _ in range(self.addresses))
            if isinstance(what, str):
                own = {"requestor": Nodes([node]), "sender": Nodes([node])}
                found = self.cells(rows, address, node, what, own)
            else:
                found = self.met((rows,), self.mails[what])
            done = []
            for rule, values in found:
                after = self.taken((rows, (), (), ()), address, node, rule, values)
                done.append((rule.answer, self.row(after[0][address][node]), tuple(map(self.mail, after[1]))))
            self.known[asked] = done
        return self.known[asked]

    def put(self, lines: Any, sent: tuple[int, ...]) -> Any:
        return tuple(sorted((*lines, *sent), key=self.key.__getitem__)) if sent else lines

    def deadlock(self) -> Any:
        start = tuple(self.row(row) for _ in range(self.addresses) for row in self.first())
        first = (start, (), (), ())
        seen, layer = {first}, [first]
        while layer:
            found = []
            for state in layer:
                moved = False
                for after, counts in self.onward(state):
                    moved |= counts
                    if after is not None and after not in seen:
                        seen.add(after)
                        found.append(after)
                if not moved and (any(state[1:]) or any(map(self.refused, range(len(start)), state[0]))):
                    self.states = len(seen)
                    return state
                if len(seen) > self.most:
                    self.states = len(seen)
                    raise TooLargeError
            layer = found
        self.states = len(seen)
        return None

    def refused(self, seat: int, row: int) -> bool:
        """Whether a core waits for nothing."""
        core = self.nodes[seat % self.count][0].core
        answers = [one[0] for event in core for one in self.acts(seat, row, event)]
        return bool(answers) and "take" not in answers

    def onward(self, state: Any) -> Iterator[tuple[Any, bool]]:
        rows, lines, heads, aside = state
        for seat, row in enumerate(rows):
            for event in self.nodes[seat % self.count][0].core:
                for answer, other, sent in self.acts(seat, row, event):
                    if answer == "take":
                        yield ((*rows[:seat], other, *rows[seat + 1 :]), self.put(lines, sent), heads, aside), False
        busy = {self.at[one][0] for one in heads}
        last = -1
        for i, one in enumerate(lines):
            if self.key[one] != last and self.at[one][0] not in busy:
                yield (rows, (*lines[:i], *lines[i + 1 :]), tuple(sorted((*heads, one))), aside), True
            last = self.key[one]
        for i, one in enumerate(heads):
            seat, rest = self.at[one][1], (*heads[:i], *heads[i + 1 :])
            found = self.acts(seat, rows[seat], one)
            surely = bool(found) and all(answer != "stall" for answer, _, _ in found)
            if not found:
                yield None, True
            for answer, other, sent in found:
                if answer == "take":
                    yield ((*rows[:seat], other, *rows[seat + 1 :]), self.put(lines, sent), rest, aside), surely
                elif answer == "set aside":
                    yield (rows, lines, rest, tuple(sorted((*aside, one)))), True
        for i, one in enumerate(aside):
            seat, rest = self.at[one][1], (*aside[:i], *aside[i + 1 :])
            for answer, other, sent in self.acts(seat, rows[seat], one):
                if answer == "take":
                    yield ((*rows[:seat], other, *rows[seat + 1 :]), self.put(lines, sent), heads, rest), True
