"""Remedies for a deadlock through end points: VCs of their own, queues of their own, queues that never fill."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from unknot._base.deadline import Deadline
from unknot.routing.classes import base_of, in_classes
from unknot.routing.relation import Relation
from unknot.verify.protocols.decision import by_ranks, by_search
from unknot.verify.protocols.extended import most_held
from unknot.verify.protocols.protocol import MessageClass, Protocol
from unknot.verify.protocols.system import System
from unknot.verify.protocols.verdict import ProtocolVerdict

MOST_TRIED = 100
"""Changes of one kind that are tried."""
SHARE = 5.0
"""Seconds for one change, at most."""


@dataclass(frozen=True)
class ProtocolRemedy:
    """A change with which messages no longer wait for each other for ever.

    Attributes
    ----------
    change : str
        What to change.
    relation : Relation
    protocol : Protocol
        Both after the change.
    vcs : int
        VCs that it adds to a channel, at most.
    slots : int
        Room for messages that it adds to each terminal.
    fewest : bool or None
        Whether every cheaper change of its kind was shown to deadlock, of queues one message less; None: not all of
        them were decided.
    """

    change: str
    relation: Relation
    protocol: Protocol
    vcs: int = 0
    slots: int = 0
    fewest: bool | None = None

    @property
    def cost(self) -> tuple[int, int]:
        return self.vcs, self.slots


def remedies(verdict: ProtocolVerdict, deadline: Deadline) -> list[ProtocolRemedy]:
    """Return the cheapest change of each kind that is proved to be enough; none where none is.

    Kinds are VCs of their own for some message classes, where the routing has no classes yet; queues of their own;
    both; and, where terminals limit their transactions, queues that hold all that can come.
    """
    if verdict.deadlock_free is not False:
        return []
    relation, protocol = verdict.system.relation, verdict.system.protocol
    kinds = [_vcs_apart(relation, protocol), _queues_apart(relation, protocol), _deep_queues(relation, protocol)]
    cured = [_cheapest(list(kind), verdict, deadline) for kind in kinds]
    if not any(cured[:2]):
        both = [
            replace(change, change=f"{change.change}; {queues.change}", slots=queues.slots)
            for queues in _queues_apart(relation, protocol)
            for change in _vcs_apart(relation, queues.protocol)
        ]
        cured.append(_cheapest(both, verdict, deadline))
    return [remedy for remedy in cured if remedy is not None]


def _cheapest(changes: list[ProtocolRemedy], verdict: ProtocolVerdict, deadline: Deadline) -> ProtocolRemedy | None:
    """The cheapest change that ranks show to be enough, and whether all cheaper ones come to a deadlock."""
    technique = verdict.switching
    order = sorted(changes, key=lambda one: one.cost)[:MOST_TRIED]
    for change in order:
        if deadline.left <= 0:
            return None
        if by_ranks(System(change.relation, change.protocol), technique, deadline) is not None:
            fewest: bool | None = True
            for less in [other for other in order if other.cost < change.cost]:
                system = System(less.relation, less.protocol, verdict.system.queueing, verdict.system.room)
                limit = Deadline.of(max(0.01, min(SHARE, deadline.left)))
                if by_search(system, technique, limit).deadlock_free is not False:
                    fewest = None
                    break
            return replace(change, fewest=fewest)
    return None


def _vcs_apart(relation: Relation, protocol: Protocol) -> Iterator[ProtocolRemedy]:
    """Message classes in more groups than now, each on VCs of its own; what comes in one packet stays together."""
    base = base_of(relation)
    if base is None:
        return
    units = [one.name for one in protocol.classes if all(one.name != other.carries for other in protocol.classes)]
    for groups in _partitions(units):
        names = [" + ".join(group) for group in groups]
        home = {one: name for group, name in zip(groups, names, strict=True) for one in group}
        home |= {one.carries: home[one.name] for one in protocol.classes if one.carries}
        changed = replace(protocol, classes=tuple(replace(one, network=home[one.name]) for one in protocol.classes))
        more = len(groups) - max(1, len(relation.classes))
        if more > 0:
            words = f"VCs of their own for {', '.join(names)}"
            yield ProtocolRemedy(words, in_classes(base, names), changed, vcs=base.vcs.widest * more)


def _queues_apart(relation: Relation, protocol: Protocol) -> Iterator[ProtocolRemedy]:
    """Some of the classes that share a queue with a queue of their own, fewest first; all in the end."""
    sides = ("send", "receive")
    shared = [
        (one.name, side)
        for side in sides
        for one in protocol.classes
        if any(getattr(other, side) == getattr(one, side) for other in protocol.classes if other.name != one.name)
    ]
    for number in range(1, len(shared) + 1):
        for chosen in combinations(shared, number):
            classes = tuple(
                _with_queues(one, [side for name, side in chosen if name == one.name]) for one in protocol.classes
            )
            send, receive = ({getattr(one, side) for one in classes} for side in sides)
            changed = replace(
                protocol,
                classes=classes,
                send={name: depth for name, depth in protocol.send.items() if name in send},
                receive={name: room for name, room in protocol.receive.items() if name in receive},
            )
            words = "a queue of its own for " + ", ".join(f"{name} ({side})" for name, side in chosen)
            slots = len(changed.send_queues) + len(changed.receive_queues)
            more = slots - len(protocol.send_queues) - len(protocol.receive_queues)
            if more:
                yield ProtocolRemedy(words, relation, changed, slots=more)


def _with_queues(one: MessageClass, sides: Sequence[str]) -> MessageClass:
    own = f"{one.name} alone"
    return replace(one, send=own if "send" in sides else one.send, receive=own if "receive" in sides else one.receive)


def _deep_queues(relation: Relation, protocol: Protocol) -> Iterator[ProtocolRemedy]:
    """Queues with room for all messages that can come, under the limit of transactions or one for each terminal."""
    limit = protocol.outstanding or 1
    limited = replace(protocol, outstanding=limit)
    held = most_held(System(relation, limited))
    depths = protocol.depths
    shallow = [queue for queue, most in held.items() if most > depths[queue]]
    words = "" if protocol.outstanding else "one transaction of each terminal at a time; "
    for number in range(len(shallow) + 1):
        for chosen in combinations(shallow, number):
            most = {queue: held[queue] for queue in chosen}
            for deep in (most, *({**most, queue: most[queue] - 1} for queue in chosen)):  # and one message less
                said = ", ".join(f"{queue} queue of {depth} messages" for queue, depth in deep.items())
                slots = sum(depth - depths[queue] for queue, depth in deep.items())
                if deep or words:
                    yield ProtocolRemedy(
                        (words + said).removesuffix("; "), relation, _deepened(limited, deep), slots=slots
                    )


def _deepened(protocol: Protocol, depths: Mapping[str, int]) -> Protocol:
    """The protocol with other depths of some queues, as `Protocol.depths` names them."""
    new = {**protocol.depths, **depths}
    send = {name: new[f"send {name}"] for name in protocol.send_queues}
    receive = {name: replace(protocol.room(name), depth=new[f"receive {name}"]) for name in protocol.receive_queues}
    return replace(protocol, send=send, receive=receive)


def _partitions(names: Sequence[str]) -> Iterator[list[list[str]]]:
    """Every way to put names into groups."""
    if not names:
        yield []
        return
    first, *rest = names
    for groups in _partitions(rest):
        yield [[first], *groups]
        for i, group in enumerate(groups):
            yield [*groups[:i], [first, *group], *groups[i + 1 :]]
