"""State tables of controllers: states of which none blocks another, and runs to a deadlock."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

from unknot.certificates.plain.reading import KEPT_STATE, Rejected, field, integers, lists, number, pay, printable
from unknot.certificates.plain.registry import checks
from unknot.certificates.plain.tabled import ASIDE, Act, Controlled, sent_by
from unknot.certificates.plain.tables import closure

MOST_ADDRESSES = 3
"""Addresses of a run."""


class Together:
    """Nodes of some addresses, with queues that hold the messages on the way to them, and limited entries."""

    def __init__(self, claim: Any, addresses: int, homes: bool) -> None:
        self.nodes = Controlled(claim)
        self.addresses, self.homes = addresses, homes
        self.rooms, self.limits = (field(claim, side, dict) for side in ("rooms", "limits"))
        for side in (self.rooms, self.limits):
            integers([*side.values()], "sizes", 1, 2**31)
        for kind in self.nodes.nodes:
            field(kind, "entries", list)
        self.start: Any = ((self.nodes.start[0],) * addresses, (), ())

    def place(self, node: int, address: int) -> tuple[int, int]:
        return node, address if self.homes and node >= self.nodes.caches else 0

    def line(self, one: Any) -> Any:
        """Key of messages in order: an ordered line, or a message alone."""
        address, mail = one
        ends = (self.place(mail.target, address), mail.line, self.place(mail.source, address))
        return (ends,) if mail.line in self.nodes.ordered else (ends, address, mail)

    def queue(self, one: Any) -> Any:
        return self.place(one[1].target, one[0]), self.nodes.network[one[1].name]

    def firsts(self, state: Any) -> list[Any]:
        """Messages of all addresses that are, or may come, at the heads of their queues."""
        first: dict[Any, Any] = {}
        for one in state[1]:
            if one[1].line != ASIDE:
                first.setdefault(self.line(one), one)
        taken = {self.queue(one) for one in state[2]}
        return [*state[2], *(one for one in first.values() if self.queue(one) not in taken)]

    def beside(self, state: Any) -> list[Any]:
        """Messages that were set aside."""
        return [one for one in state[1] if one[1].line == ASIDE]

    def waits(self, state: Any) -> bool:
        """Whether a message is there, or a core whose requests are all stalled."""
        return bool(state[1]) or any(self.nodes.waits((row, ())) for row in state[0])

    def held(self, rows: Any, place: tuple[int, int]) -> int:
        """Entries that a node has in use."""
        node = self.nodes.nodes[place[0]]
        return sum(
            rows[address][place[0]][0] in node["entries"]
            for address in range(self.addresses)
            if self.place(place[0], address) == place
        )

    def done(self, state: Any, address: int, node: int, act: Act, taken: Any = None) -> Any:
        """The state after something is done; None where that does not fit."""
        rows, mails, heads = state
        mine = (*rows[address][:node], act.row, *rows[address][node + 1 :])
        after = (*rows[:address], mine, *rows[address + 1 :])
        kind, place = self.nodes.nodes[node], self.place(node, address)
        used = self.held(after, place)
        if used > self.held(rows, place) and used > self.limits.get(kind["name"], used):
            return None
        left, at_head = [*mails], [*heads]
        if taken is not None:
            left.remove(taken)
            at_head = [one for one in heads if one != taken]
        if act.answer == "act":
            at_head.append(taken)
        if act.answer in ("act", "set aside"):
            left.append(taken if act.answer == "act" else (address, taken[1]._replace(line=ASIDE)))
        left += [(address, mail) for mail in act.sent]
        counts = [self.queue(one) for one in left] if act.sent and self.rooms else []
        for mail in act.sent if counts else ():
            queue = self.queue((address, mail))
            if counts.count(queue) > self.rooms.get(queue[1], len(counts)):
                return None
        pay(KEPT_STATE + 2 * len(left))
        return after, tuple(sorted(left, key=self.line)), tuple(sorted(at_head))

    def begun(self, state: Any) -> Iterator[tuple[int, int, str, Act]]:
        """What cores and timers may do."""
        for address, rows in enumerate(state[0]):
            for node, row in enumerate(rows):
                for event in self.nodes.begun[node]:
                    acts = self.nodes.acts(node, row, event, node, ())
                    yield from ((address, node, event, act) for act in acts if act.answer == "take")

    def taken(self, state: Any, one: Any) -> Iterator[tuple[Act, Any]]:
        """Steps of a node with a message, and the changed states."""
        address, mail = one
        acts = self.nodes.met(state[0][address], mail)
        if not acts:
            raise Rejected(f"the table has no cell for {printable(mail.name)} in a state that is reached")
        for act in acts:
            after = None if act.answer == "stall" else self.done(state, address, mail.target, act, one)
            if after is not None and after != state:
                yield act, after

    def step(self, states: Any, address: int, node: int, event: str, source: int) -> set[Any]:
        """States after a step in some states; `source` is −1 for a request of a core."""
        found: set[Any] = set()
        for state in states:
            if source < 0:
                begun = [act for a, n, name, act in self.begun(state) if (a, n, name) == (address, node, event)]
                found.update(self.done(state, address, node, act) for act in begun if not act.merged)
                continue
            for one in dict.fromkeys([*self.beside(state), *self.firsts(state)]):
                if one[0] == address and (one[1].target, one[1].name, one[1].source) == (node, event, source):
                    found.update(after for act, after in self.taken(state, one) if not act.merged)
        return found - {None}

    def stuck(self, state: Any) -> bool:
        """Whether something waits, and each queue with messages has a head that cannot move, surely."""
        rows, mails, _ = state
        if not all(self.nodes.idle((row, ())) for row in rows) or not self.waits(state):
            return False
        if any(True for one in self.beside(state) for _ in self.taken(state, one)):
            return False
        still = set()
        for one in self.firsts(state):
            merged = any(act.merged for act in self.nodes.met(rows[one[0]], one[1]))
            if not merged and not any(True for _ in self.taken(state, one)):
                still.add(self.queue(one))
        return {self.queue(one) for one in mails if one[1].line != ASIDE} <= still

    def onward(self, state: Any) -> list[Any]:
        """States after each step; `Rejected` where something waits and nothing but cores moves."""
        cores, moved = list[Any](), list[Any]()
        for address, node, event, act in self.begun(state):
            by_itself = event in self.nodes.nodes[node]["timers"]
            (moved if by_itself else cores).append(self.done(state, address, node, act))
        for one in self.firsts(state):
            if one in state[2]:
                moved += [after for _, after in self.taken(state, one)]
            else:
                moved.append((state[0], state[1], tuple(sorted([*state[2], one]))))
        moved += [after for one in self.beside(state) for _, after in self.taken(state, one)]
        if all(after is None for after in moved) and self.waits(state):
            raise Rejected("a state is reached in which nothing moves")
        pay((len(cores) + len(moved)) * (KEPT_STATE + 2 * self.addresses * len(self.nodes.nodes)))
        return [self.renamed(after) for after in (*cores, *moved) if after is not None]

    def renamed(self, state: Any) -> Any:
        """The least state with other names of caches and of addresses."""
        rows, mails, heads = state
        forms = []
        for order in permutations(range(self.addresses)):
            new = [rows[address] for address in order]
            for to in self.nodes.sorting([[row[node][0] for row in new] for node in range(len(self.nodes.nodes))]):
                named = [[(order.index(a), sent_by(one, to)) for a, one in some] for some in (mails, heads)]
                placed = tuple(self.nodes.exchanged(row, (), to)[0] for row in new)
                forms.append((placed, tuple(sorted(named[0], key=self.line)), tuple(sorted(named[1]))))
        pay(len(forms) * (len(mails) + self.addresses * len(self.nodes.nodes)))
        return min(forms)


def anywhere(queues: frozenset[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    """Networks of queues, of whatever nodes."""
    return frozenset(("", line) for _, line in queues)


@checks("controllers", "", "deadlock_free")
def check_controllers(claim: Any, proof: Any) -> str:
    """Check that controllers with states cannot wait for each other for ever, or replay a run to a deadlock.

    Where queues hold any number of messages, states of other addresses only delay those of an address. So in a
    deadlock of any number of addresses, each is in a state that is reached alone; and each of its queues has a head
    that is stalled, or that another address has there. With rooms or limits all addresses are explored together.

    Claim: `deadlock_free`; `caches`, `kinds` with the `rules` of their tables and the states that take `entries`,
    `sorts` of names, `networks` of messages, which of them are `ordered`; `rooms` of queues, by network, and `limits`
    of entries, by kind; with one of these, the number of `addresses`; without them perhaps `carried`: messages may
    also wait in channels, behind a stalled head of their network at any node
    Proof: `kind`: `states`, explored anew, of one address, or of all with rooms or limits; or `run`, steps [address,
    node, event, sender], with −1 in place of the sender for a request of a core, and whether each address has
    `homes` of its own
    """
    free, kind = field(claim, "deadlock_free", bool), field(proof, "kind", str)
    sized = field(claim, "rooms", dict) or field(claim, "limits", dict)
    together = number(claim, "addresses", 1, MOST_ADDRESSES + 1) if sized else 0
    nodes = Together(claim, 1, False).nodes
    shown = f"{nodes.caches} of {len(nodes.nodes)} nodes are {printable(nodes.nodes[0]['name'])}s:"
    if free and kind == "states" and together:
        count = 0
        for homes in (False, True)[: 1 + (together > 1)]:
            system = Together(claim, together, homes)
            count += len(closure([system.renamed(system.start)], system.onward))
        return f"{shown} free of deadlock with {together} addresses, {count} states"
    if free and kind == "states":
        states = closure([nodes.renamed(nodes.start)], nodes.onward)
        left = {one for state in states if (one := nodes.stand(state)) is not None}
        if claim.get("carried", False) is not False:
            left = {(anywhere(needs), anywhere(still)) for needs, still in left}
        before = -1
        while before != len(left):
            before, blocks = len(left), frozenset[tuple[str, str]]().union(*(one[1] for one in left))
            left = {one for one in left if one[0] <= blocks}
        if left:
            raise Rejected("states of some addresses may block each other")
        return f"{shown} free of deadlock, no set of {len(states)} states blocks itself"
    if free or kind != "run":
        raise Rejected(f"{printable(kind)}: no proof of this answer")
    steps = lists(field(proof, "run", list), "run", 4)
    addresses = 1 + max([0, *integers([step[0] for step in steps], "addresses", 0, together or MOST_ADDRESSES)])
    system = Together(claim, max(addresses, together), field(proof, "homes", bool))
    left_over: set[Any] = {system.start}
    for address, node, event, source in steps:
        integers([node, source], "a step", -1, len(nodes.nodes))
        left_over = system.step(left_over, address, node, event, source)
        if not left_over:
            raise Rejected(f"node {node} cannot do {printable(str(event))} here")
    if not any(map(system.stuck, left_over)):
        raise Rejected("after the run something moves, or nothing waits")
    return f"{shown} after {len(steps)} steps of {addresses} addresses no message moves"
