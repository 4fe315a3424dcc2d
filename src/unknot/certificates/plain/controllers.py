"""State tables of controllers: states of which none blocks another, and runs to a deadlock."""

from __future__ import annotations

from typing import Any

from unknot.certificates.plain.reading import KEPT_STATE, Rejected, field, lists, numbers, pay, printable
from unknot.certificates.plain.registry import checks
from unknot.certificates.plain.tabled import ASIDE, Act, Controlled, Mail
from unknot.certificates.plain.tables import closure

MOST_TOLD = 3
"""Addresses of a run."""


class Rerun:
    """A run of several addresses, with every way in which the table allows for each step."""

    def __init__(self, nodes: Controlled, addresses: int, homes: bool) -> None:
        self.nodes, self.homes = nodes, homes
        self.states: set[Any] = {((nodes.start[0],) * addresses, (), ())}

    def place(self, node: int, address: int) -> tuple[int, int]:
        return node, address if self.homes and node >= self.nodes.caches else 0

    def line(self, address: int, mail: Mail) -> Any:
        """What keeps its order: the messages of an ordered line; any other message alone."""
        ends = (self.place(mail.target, address), mail.line, self.place(mail.source, address))
        return ends if mail.line in self.nodes.ordered else (ends, address, mail)

    def queue(self, address: int, mail: Mail) -> Any:
        return self.place(mail.target, address), mail.line

    def firsts(self, mails: tuple[Any, ...], heads: tuple[Any, ...]) -> list[Any]:
        """Messages of all addresses that may be at the heads of their queues."""
        first: dict[Any, Any] = {}
        for one in mails:
            first.setdefault(self.line(*one), one)
        taken = {self.queue(*one) for one in heads}
        return [one for one in first.values() if one in heads or self.queue(*one) not in taken]

    def step(self, address: int, node: int, event: str, source: int) -> None:
        """Advance all states; `source` is −1 for a request of a core."""
        after: set[Any] = set()
        for rows, mails, heads in self.states:
            pay(KEPT_STATE * (1 + len(mails)))
            acts = self.nodes.acts(node, rows[address][node], event, node, ()) if source < 0 else []
            found = [(act, None) for act in acts if event in self.nodes.begun[node] and act.answer == "take"]
            for one in self.firsts(mails, heads) if source >= 0 else ():
                if one[0] == address and (one[1].target, one[1].name, one[1].source) == (node, event, source):
                    found += [(act, one) for act in self.nodes.met(rows[address], one[1]) if act.answer != "stall"]
            for act, taken in found:
                if not act.merged:
                    after.add(self.done((rows, mails, heads), address, node, act, taken))
        self.states = after

    def done(self, state: Any, address: int, node: int, act: Act, taken: Any) -> Any:
        rows, mails, heads = state
        mine = (*rows[address][:node], act.row, *rows[address][node + 1 :])
        left = [*mails]
        if taken is not None:
            heads = tuple(one for one in heads if one != taken)
            if act.answer == "act":
                heads = (*heads, taken)
            else:
                left.remove(taken)
            if act.answer == "set aside":
                left.append((address, taken[1]._replace(line=ASIDE)))
        left += [(address, mail) for mail in act.sent]
        return (*rows[:address], mine, *rows[address + 1 :]), tuple(left), heads

    def stuck(self, state: Any) -> bool:
        """Whether something waits, and each queue with messages has a head that is stalled, surely."""
        rows, mails, heads = state
        single = [(row, tuple(mail for a, mail in mails if a == address)) for address, row in enumerate(rows)]
        if not all(map(self.nodes.idle, single)) or not any(map(self.nodes.waits, single)):
            return False
        still = set()
        for address, mail in self.firsts(mails, heads):
            acts = self.nodes.met(rows[address], mail)
            if acts and all(act.answer == "stall" and not act.merged for act in acts):
                still.add(self.queue(address, mail))
        return {self.queue(*one) for one in mails if one[1].line != ASIDE} <= still


@checks("controllers", "", "deadlock_free")
def check_controllers(claim: Any, proof: Any) -> str:
    """Check that controllers with states cannot wait for each other for ever, or replay a run to a deadlock.

    Queues hold any number of messages, one for each node and network. States of other addresses only delay those of
    an address. So in a deadlock of any number of addresses, each is in a state that is reached alone; and each of its
    queues has a head that is stalled, or that another address has there.

    Claim: `deadlock_free`; `caches`, `kinds` with the `rules` of their tables, `sorts` of names, `networks` of
    messages, which of them are `ordered`
    Proof: `kind`: `states` of one address, explored anew; or `run`, steps [address, node, event, sender], with −1 in
    place of the sender for a request of a core, and whether each address has `homes` of its own
    """
    nodes, free, kind = Controlled(claim), field(claim, "deadlock_free", bool), field(proof, "kind", str)
    shown = f"{nodes.caches} of {len(nodes.nodes)} nodes are {printable(nodes.nodes[0]['name'])}s:"
    if free and kind == "states":
        states = closure([nodes.renamed(nodes.start)], nodes.onward)
        left = {one for state in states if (one := nodes.stand(state)) is not None}
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
    told = 1 + max([0, *numbers({"run": [step[0] for step in steps]}, "run", 0, MOST_TOLD)])
    rerun = Rerun(nodes, told, field(proof, "homes", bool))
    for address, node, event, source in steps:
        numbers({"step": [node, source]}, "step", -1, len(nodes.nodes))
        if node < 0 or not isinstance(event, str):
            raise Rejected(f"{printable(str([address, node, event, source]))} is no step")
        rerun.step(address, node, event, source)
        if not rerun.states:
            raise Rejected(f"node {node} cannot do {printable(event)} here")
    if not any(map(rerun.stuck, rerun.states)):
        raise Rejected("after the run something moves, or nothing waits")
    return f"{shown} after {len(steps)} steps of {told} addresses no message moves"
