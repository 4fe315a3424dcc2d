"""Reachable deadlocks, found by exploring every state of an abstract network.

An adversary injects any number of packets of the allowed lengths and orders all moves. Flits are counted, clocks are
not. This is stronger than the definition of a deadlock configuration: what is found here really happens from an
empty network. Three networks: whole packets in first-in first-out buffers (`Cut`, for saf and vct), worms that own
their VCs (`Atomic`) and worms that queue behind one another's tails (`Queued`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Protocol

from tests.reference.brute_force import Answer, TooLargeError, states_of
from unknot.routing.relation import Relation

EJECTING = -1
UNDECIDED = -2


class Explorable(Protocol):
    """A network with a state, its successors, and the VCs whose front packets can never move again."""

    def empty(self) -> Hashable: ...

    def moves(self, state: Hashable) -> Iterator[Hashable]: ...

    def stuck(self, state: Hashable) -> frozenset[int]: ...


def network_for(relation: Relation, switching: str, *, depth: int, lengths: tuple[int, ...]) -> Explorable:
    """The abstract network of a switching technique, with buffers of `depth` flits and packets of these lengths."""
    kinds = {"saf": Cut, "vct": Cut, "wormhole": Atomic, "wormhole-nonatomic": Queued}
    return kinds[switching](relation, depth, lengths)


def reachable_deadlock(network: Explorable, *, limit: int = 100_000) -> Hashable | None:
    """A state with a deadlock that can be reached from the empty network, or None when there is none.

    Raises
    ------
    TooLargeError
        When `limit` states were seen without an answer.
    """
    seen = {network.empty()}
    todo = [network.empty()]
    while todo:
        state = todo.pop()
        if network.stuck(state):
            return state
        for after in network.moves(state):
            if after not in seen:
                if len(seen) >= limit:
                    raise TooLargeError(f"no answer after {limit} states")
                seen.add(after)
                todo.append(after)
    return None


def comes_to_block(relation: Relation, switching: str, limit: int = 20_000) -> bool:
    """Whether worms of any length come to block each other.

    Raises
    ------
    TooLargeError
        When `limit` states were seen without an answer.
    """
    lengths = tuple(range(1, 1 + max(1, relation.num_vcs)))
    return reachable_deadlock(network_for(relation, switching, depth=1, lengths=lengths), limit=limit) is not None


class _Base:
    """What the three networks share: the relation's answers, and who may inject what."""

    def __init__(self, relation: Relation, depth: int, lengths: tuple[int, ...]) -> None:
        self.relation, self.depth, self.lengths = relation, depth, lengths
        self.answers: list[dict[int, Answer]] = states_of(relation)
        self.openings = [
            (int(t), address, length, sorted(self.answers[address][relation.num_vcs + int(t)].may))
            for address in range(relation.num_addresses)
            for t in relation.sources(address)
            for length in lengths
        ]

    def blocked(self, at: int, address: int, held: frozenset[int]) -> bool:
        """Whether a header waits only for what is held; one that committed may have committed to any of it."""
        answer = self.answers[address][at]
        if self.relation.commits:
            return bool(answer.waits & held)
        return bool(answer.waits) and not answer.waits_to_leave and answer.waits <= held


class Cut(_Base):
    """Whole packets in FIFO buffers; a state is, for every VC, its packets (address, flits) in order."""

    State = tuple[tuple[tuple[int, int], ...], ...]

    def empty(self) -> State:
        return ((),) * self.relation.num_vcs

    def space(self, state: State, vc: int) -> int:
        return self.depth - sum(flits for _, flits in state[vc])

    def moves(self, state: State) -> Iterator[State]:
        for vc, queue in enumerate(state):
            if not queue:
                continue
            address, flits = queue[0]
            answer = self.answers[address][vc]
            for to in answer.may:
                if self.space(state, to) >= flits:
                    after = list(state)
                    after[vc] = after[vc][1:]
                    after[to] = (*after[to], queue[0])
                    yield tuple(after)
            if answer.may_leave:
                yield (*state[:vc], queue[1:], *state[vc + 1 :])
        for _, address, length, entries in self.openings:
            for vc in entries:
                if self.space(state, vc) >= length:
                    yield (*state[:vc], (*state[vc], (address, length)), *state[vc + 1 :])

    def stuck(self, state: State) -> frozenset[int]:
        held = frozenset(vc for vc, queue in enumerate(state) if queue)
        while True:
            kept = frozenset(
                vc
                for vc in held
                if self.blocked(
                    vc, state[vc][0][0], frozenset(w for w in held if self.space(state, w) < state[vc][0][1])
                )
            )
            if kept == held:
                return held
            held = kept


class Atomic(_Base):
    """Worms that own their VCs; a state is a set of (terminal or −1, address, flits to inject, path, ejecting).

    The path lists (VC, flits) from tail to head. A VC is owned until the tail has left it and may be taken only
    when nobody owns it.
    """

    Packet = tuple[int, int, int, tuple[tuple[int, int], ...], bool]
    State = frozenset[Packet]

    def empty(self) -> State:
        return frozenset()

    def moves(self, state: State) -> Iterator[State]:
        owned = {vc for packet in state for vc, _ in packet[3]}
        for packet in state:
            rest = state - {packet}
            for after in self._packet_moves(packet, owned):
                yield rest | {after} if after is not None else rest
        busy = {packet[0] for packet in state}
        for terminal, address, length, entries in self.openings:
            if terminal not in busy:
                for vc in entries:
                    if vc not in owned:
                        left = length - 1
                        yield state | {(terminal if left else -1, address, left, ((vc, 1),), False)}

    def _packet_moves(self, packet: Packet, owned: set[int]) -> Iterator[Packet | None]:
        terminal, address, left, path, ejecting = packet
        head, flits = path[-1]
        if left and path[0][1] < self.depth:
            grown = ((path[0][0], path[0][1] + 1), *path[1:])
            yield self._tidy(terminal, address, left - 1, grown, ejecting)
        for i in range(len(path) - 1):
            (a, here), (b, there) = path[i], path[i + 1]
            if here and there < self.depth:
                moved = (*path[:i], (a, here - 1), (b, there + 1), *path[i + 2 :])
                yield self._tidy(terminal, address, left, moved, ejecting)
        shrunk = (*path[:-1], (head, flits - 1))
        answer = self.answers[address][head]
        if ejecting:
            if flits:
                yield self._tidy(terminal, address, left, shrunk, True)
            return
        for vc in answer.may:
            if vc not in owned:
                yield self._tidy(terminal, address, left, (*shrunk, (vc, 1)), False)
        if answer.may_leave:
            yield self._tidy(terminal, address, left, shrunk, True)

    @staticmethod
    def _tidy(
        terminal: int, address: int, left: int, path: tuple[tuple[int, int], ...], ejecting: bool
    ) -> Packet | None:
        if not left:
            terminal = -1
            while path and not path[0][1]:
                path = path[1:]
        return (terminal, address, left, path, ejecting) if path else None

    def stuck(self, state: State) -> frozenset[int]:
        worms = {packet for packet in state if not packet[4] and self.stands(packet)}
        while True:
            held = frozenset(vc for packet in worms for vc, _ in packet[3])
            kept = {packet for packet in worms if self.blocked(packet[3][-1][0], packet[1], held)}
            if kept == worms:
                return held
            worms = kept

    def stands(self, packet: Packet) -> bool:
        """Whether no flit can move up to the header, by which the tail might leave what the header waits for."""
        _, _, left, path, _ = packet
        return all(flits == self.depth for _, flits in path[not left :])


class Queued(_Base):
    """Worms that queue in VCs; a state is the queue of every VC and what every terminal is injecting.

    A queue entry is (address, flits, next, whole): the VC its packet has committed to (or `EJECTING`, or
    `UNDECIDED`), and whether its tail is in. A VC may be committed to as soon as the last tail is in it, full or
    not; a terminal injects (address, flits left, VC) or None.
    """

    Entry = tuple[int, int, int, bool]
    State = tuple[tuple[tuple[Entry, ...], ...], tuple[tuple[int, int, int] | None, ...]]

    def empty(self) -> State:
        return ((),) * self.relation.num_vcs, (None,) * self.relation.network.num_terminals

    @staticmethod
    def available(queue: tuple[Entry, ...]) -> bool:
        return not queue or queue[-1][3]

    def full(self, queue: tuple[Entry, ...]) -> bool:
        return sum(entry[1] for entry in queue) >= self.depth

    def moves(self, state: State) -> Iterator[State]:
        queues, injecting = state
        for vc, queue in enumerate(queues):
            if queue:
                for after in self._front_moves(queues, vc):
                    yield after, injecting
        for terminal, what in enumerate(injecting):
            if what is not None and not self.full(queues[what[2]]):
                address, left, vc = what
                after = list(queues)
                after[vc] = self._fed(after[vc], left == 1)
                rest = None if left == 1 else (address, left - 1, vc)
                yield tuple(after), (*injecting[:terminal], rest, *injecting[terminal + 1 :])
        for terminal, address, length, entries in self.openings:
            if injecting[terminal] is None:
                for vc in entries:
                    if self.available(queues[vc]):
                        start = (*injecting[:terminal], (address, length, vc), *injecting[terminal + 1 :])
                        yield self._joined(queues, vc, address), start

    @staticmethod
    def _joined(queues: tuple[tuple[Entry, ...], ...], vc: int, address: int) -> tuple[tuple[Entry, ...], ...]:
        return (*queues[:vc], (*queues[vc], (address, 0, UNDECIDED, False)), *queues[vc + 1 :])

    @staticmethod
    def _fed(queue: tuple[Entry, ...], tail: bool) -> tuple[Entry, ...]:
        address, flits, to, _ = queue[-1]
        return (*queue[:-1], (address, flits + 1, to, tail))

    def _front_moves(self, queues: tuple[tuple[Entry, ...], ...], vc: int) -> Iterator[tuple[tuple[Entry, ...], ...]]:
        address, flits, to, whole = queues[vc][0]
        if not flits:
            return
        if to == UNDECIDED:
            answer = self.answers[address][vc]
            choices = [w for w in answer.may if self.available(queues[w])] + [EJECTING] * answer.may_leave
            for choice in choices:
                after = list(queues)
                after[vc] = ((address, flits, choice, whole), *queues[vc][1:])
                yield tuple(after) if choice == EJECTING else self._joined(tuple(after), choice, address)
        elif to == EJECTING or not self.full(queues[to]):
            last = whole and flits == 1
            after = list(queues)
            after[vc] = queues[vc][1:] if last else ((address, flits - 1, to, whole), *queues[vc][1:])
            if to != EJECTING:
                after[to] = self._fed(after[to], last)
            yield tuple(after)

    def stuck(self, state: State) -> frozenset[int]:
        queues = state[0]
        held = frozenset(vc for vc, queue in enumerate(queues) if queue and self.full(queue))
        while True:
            kept = frozenset(vc for vc in held if self._waits(queues, vc, held))
            if kept == held:
                return held
            held = kept

    def _waits(self, queues: tuple[tuple[Entry, ...], ...], vc: int, held: frozenset[int]) -> bool:
        address, _, to, _ = queues[vc][0]
        if to != UNDECIDED:
            return to in held
        answer = self.answers[address][vc]
        taken = frozenset(w for w in held if not self.available(queues[w]))
        return bool(answer.may) and not answer.may_leave and answer.may <= taken
