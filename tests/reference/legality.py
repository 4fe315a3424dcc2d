"""Is a configuration a legal deadlock, does a certificate hold? Decided without `unknot.verify`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from tests.reference.brute_force import Answer, States, blockings, states_of
from unknot._base.switching import SWITCHINGS
from unknot.certificates.verdict import Certificate, Configuration, Message, Reachability
from unknot.routing.relation import Relation


def complaints(relation: Relation, configuration: Configuration) -> list[str]:
    """Everything that is wrong with a configuration; empty when it is a deadlock of the grade it claims."""
    states = states_of(relation)
    faults = [] if configuration.messages else ["no message"]
    if configuration.buffer_depth < 1 or configuration.switching not in SWITCHINGS:
        faults.append("no such switching, or no room for a flit")
    if configuration.reachability not in get_args(Reachability):
        faults.append("no such reachability")
    if configuration.queued:
        return faults + _of_order(relation, states, configuration)
    held = [vc for message in configuration.messages for vc in message.held]
    if len(set(held)) < len(held):
        faults.append("a VC is held twice")
    awaited = [vc for message in configuration.messages for vc in message.wanted]
    if not set(awaited) <= set(held):
        faults.append("a wanted VC is not held")
    if configuration.switching == "wormhole-nonatomic":
        tails = {message.held[0] for message in configuration.messages if message.held}
        if len(set(awaited)) < len(awaited) or not set(awaited) <= tails:
            faults.append("a message has committed to a VC that was not free for it")
    for number, message in enumerate(configuration.messages):
        faults += [f"message {number}: {what}" for what in _of_message(relation, states, configuration, message)]
    if not faults and configuration.reachability != "not-established":
        faults += _of_grade(configuration)
    return faults


def _of_order(relation: Relation, states: States, configuration: Configuration) -> list[str]:
    """Faults of packets of one length that go on by a VC each in an order, and wait in the end."""
    messages = configuration.messages
    room = configuration.buffer_depth // messages[0].length
    ways = [[relation.num_vcs + m.source, *m.lead, *m.held] for m in messages]
    queues: dict[int, list[int]] = {vc: [] for vc in range(relation.num_vcs)}
    for k in configuration.order:
        at, vc, *_ = ways[k]
        if vc not in states[messages[k].address][at].may or len(queues[vc]) >= room:
            return [f"message {k} may not go from place {at} to VC {vc}"]
        if at in queues and queues[at].pop(0) != k:
            return [f"message {k} is not in front"]
        queues[vc].append(k)
        ways[k] = ways[k][1:]
    faults = ["a message is not where it waits"] if any(len(way) > 1 for way in ways) else []
    for vc, (first, *_) in [(vc, queue) for vc, queue in queues.items() if queue]:
        wanted = set(messages[first].wanted)
        if wanted not in blockings(relation, states[messages[first].address][vc]):
            faults.append(f"message {first} waits for something else")
        if any(len(queues[w]) < room for w in wanted):
            faults.append(f"message {first} can move")
    return faults


def _of_message(relation: Relation, states: States, configuration: Configuration, message: Message) -> list[str]:
    if not 0 <= message.address < relation.num_addresses:
        return ["no such address"]
    if message.source not in relation.sources(message.address).tolist():
        return ["the source may not use the address"]
    if not message.held:
        return ["it holds nothing"]
    answers = states[message.address]
    at = relation.num_vcs + message.source
    for vc in (*message.lead, *message.held):
        if vc not in answers[at].may:
            return [f"from place {at} it may not go to VC {vc}"]
        at = vc
    faults = []
    if message.length != len(message.held) * configuration.buffer_depth:
        faults.append("its length does not fill what it holds")
    if configuration.switching in ("saf", "vct") and len(message.held) != 1:
        faults.append("a packet sits in one buffer")
    if configuration.switching == "wormhole-nonatomic":
        if len(message.wanted) != 1 or message.wanted[0] not in answers[at].may:
            faults.append("it has not committed to one candidate")
    elif set(message.wanted) not in blockings(relation, answers[at]):
        faults.append("it does not wait for exactly what it says")
    return faults


def _of_grade(configuration: Configuration) -> list[str]:
    """Whether injecting the messages, in order, each on its way until it stands, leads there.

    A message passes only VCs that those before it do not hold, and none that its own worm still covers.
    """
    messages = configuration.messages
    if configuration.order:
        return _of_worms_in_order(configuration)
    if configuration.reachability == "injected":
        if any(message.lead for message in messages):
            return ["an injected message does not reach back to its terminal"]
        if len({message.source for message in messages}) < len(messages):
            return ["two injected messages at one terminal"]
    standing: set[int] = set()
    for number, message in enumerate(messages):
        route = (*message.lead, *message.held)
        if standing & set(route):
            return [f"message {number} cannot pass those before it"]
        for j, vc in enumerate(route):
            if vc in route[max(0, j - len(message.held)) : j]:
                return [f"message {number} runs into its own worm"]
        standing |= set(message.held)
    return []


def _of_worms_in_order(configuration: Configuration) -> list[str]:
    """Faults of worms whose headers go on in an order, each with as many VCs behind it as it holds in the end."""
    messages = configuration.messages
    paths: list[list[int]] = [[] for _ in messages]
    for k in configuration.order:
        message, path = messages[k], paths[k]
        way, entering = [*message.lead, *message.held], {m.source for m, p in zip(messages, paths, strict=True)
                                                         if 0 < len(p) < len(m.held)}  # fmt: skip
        if len(path) == len(way) or any(
            way[len(path)] in p[-len(m.held) :] for m, p in zip(messages, paths, strict=True)
        ):
            return [f"message {k} cannot go on"]
        if not path and message.source in entering:
            return [f"the terminal of message {k} still sends another"]
        path.append(way[len(path)])
    whole = [[*message.lead, *message.held] for message in messages]
    return (
        [] if paths == whole and configuration.reachability == "scheduled" else ["messages are not where they wait"]
    )


def certificate_holds(relation: Relation, certificate: Certificate) -> bool:
    """Whether the ranks of an `order`, `escape` or `drain` certificate show what they should, state by state."""
    rank = certificate.rank.tolist()
    if len(rank) != relation.num_vcs:
        return False
    states = states_of(relation)
    for answers in states:
        for at, answer in answers.items():
            if at >= relation.num_vcs:
                continue
            if certificate.kind == "order":
                if any(rank[vc] <= rank[at] for vc in answer.may):
                    return False
            else:
                longest = 1 if certificate.kind == "escape" else relation.num_vcs
                for blocked in _covered(relation, answers, at, rank, longest):
                    if min(rank[vc] for vc in blocked) >= rank[at]:
                        return False
    return True


def _covered(
    relation: Relation, answers: dict[int, Answer], start: int, rank: list[int], longest: int
) -> Iterator[frozenset[int]]:
    """What blocks a header at `start`, or anywhere it gets to over VCs of at least that rank."""
    seen, todo = {start}, [start]
    while todo:
        at = todo.pop()
        yield from blockings(relation, answers[at])
        if longest > 1:
            new = {vc for vc in answers[at].may if rank[vc] >= rank[start]} - seen
            seen |= new
            todo += new
