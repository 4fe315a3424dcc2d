"""End points as virtual channels: the relation in which the queues of terminals are VCs like others.

Each terminal becomes a router. A message of a class enters its send queue, a VC from there into the network; where it
may be ejected it enters its receive queue, a VC to there; and where it is consumed only for what follows, it waits
for the send queue of that. A message that waits for several send queues stands for as many addresses, since one full
queue is enough to hold it. Room that is reserved, or cannot be exhausted, is a VC that nothing ever keeps.

The deadlock configurations of this relation are those of the system, except for what counting messages excludes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unknot._base.arrays import Flags
from unknot._base.switching import Switching
from unknot.flow_control.techniques import technique
from unknot.network import Network
from unknot.routing.parts import Addressing
from unknot.routing.relation import EJECT, NO_WAIT, VC_MASK, Out, Relation
from unknot.routing.virtual_channels import VirtualChannels
from unknot.verify.protocols.protocol import MessageClass, Protocol
from unknot.verify.protocols.system import System

NEVER = -1
"""The send queue of a message that waits for none."""


@dataclass(frozen=True, eq=False)
class Extended:
    """A system as a relation.

    Attributes
    ----------
    relation : Relation
    kinds : tuple of int
        Message class of each block of addresses.
    stages : int
        VCs in a row that stand for a queue: 2 where a message may stand behind another and hold VCs (wormhole).
    """

    system: System
    relation: Relation
    kinds: tuple[int, ...]
    stages: int

    def kind(self, address: int) -> int:
        """Message class of an address."""
        return self.kinds[address // self.system.block]

    def base_address(self, address: int) -> int:
        """Address of the base relation."""
        return self.system.first_address[self.kind(address)] + address % self.system.block

    def vc(self, place: int) -> int:
        """The VC of a place of the system: in one stage its number."""
        system = self.system
        second, place = divmod(place, system.places)
        if place < system.first_receive:
            return place + second * (system.first_receive - system.vcs)
        before = (self.stages - 1) * (system.first_receive - system.vcs)
        return place + before + second * (system.places - system.first_receive)


def is_counted(protocol: Protocol, switching: Switching) -> bool:
    """Whether messages consumed together have to be counted."""
    return any(one.together and not _comes_along(protocol, one, switching) for one in protocol.classes)


def _comes_along(protocol: Protocol, one: MessageClass, switching: Switching) -> bool:
    """Whether a message's partner arrives right behind, for another queue that the message cannot block."""
    room = protocol.room(one.receive)
    alone = room.depth == 1 and technique(switching).alone
    return (
        one.carries == one.together and one.receive != protocol[one.together].receive and (alone or not room.ordered)
    )


def waits_for(protocol: Protocol, ample: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Send queues without which a message of each class may stay in its receive queue for ever."""
    waits: dict[str, tuple[str, ...]] = {}
    for one in protocol.classes:
        partner = protocol.partner(one.name)
        rules = [one] if partner is None or one.together else [partner]
        if one.together:  # its other part must be received
            rules += [other for other in protocol.classes if other.receive == protocol[one.together].receive]
        queues = [protocol[follow.message].send for rule in rules for follow in rule.follows]
        waits[one.name] = tuple(dict.fromkeys(queue for queue in queues if f"send {queue}" not in ample))
    return waits


def ample_queues(system: System) -> tuple[str, ...]:
    """Queues, "send NAME" or "receive NAME", with room for all messages that terminals can ever put in."""
    depths = system.protocol.depths
    return tuple(queue for queue, most in most_held(system).items() if most <= depths[queue])


def most_held(system: System) -> dict[str, int]:
    """Most messages in each queue of a terminal, "send NAME" or "receive NAME"; none without a limit.

    The protocol gives the messages of a class in a transaction. Each terminal has a limit of transactions, and only
    who began one receives its answers.
    """
    protocol, limit = system.protocol, system.protocol.outstanding
    if limit is None:
        return {}
    number = dict.fromkeys((one.name for one in protocol.classes), 0)
    for _ in range(len(number) + 1):
        before = dict(number)
        number = {name: max(group.count(name) for group in protocol.begins) for name in number}
        for one in protocol.classes:
            for name, count in [(one.carries, 1)] * bool(one.carries) + [(f.message, f.count) for f in one.follows]:
                number[name] += before[one.name] * count
    if number != before:
        return {}
    first = {name for group in protocol.begins for name in group}
    behind = {one.carries for one in protocol.classes}
    led = behind | {follow.message for one in protocol.classes for follow in one.follows}
    abroad = (
        first
        | behind
        | {
            follow.message
            for one in protocol.classes
            for follow in one.follows
            if follow.to == "any" or (follow.to == "sender" and one.name in led)
        }
    )
    held: dict[str, int] = {}
    for one in protocol.classes:
        for queue, several in ((f"send {one.send}", one.name in led), (f"receive {one.receive}", one.name in abroad)):
            held[queue] = held.get(queue, 0) + limit * number[one.name] * (system.terminals if several else 1)
    return held


def extend(system: System, stages: int = 1, ample: tuple[str, ...] = ()) -> Extended:
    """Return the relation of a system with its queues.

    Parameters
    ----------
    stages : int
        As in `Extended`.
    ample : sequence of str
        Queues that hold all that can ever be in them, "send NAME" or "receive NAME".
    """
    base, protocol, terminals = system.relation, system.protocol, system.terminals
    network = _network(base.network, stages)
    sends, receives = len(protocol.send_queues), len(protocol.receive_queues) + 1
    first_send, width, back = system.vcs, terminals * sends, terminals * receives
    first_receive = first_send + stages * width
    total = first_receive + stages * back
    counts = np.concatenate([base.vcs.counts, *(np.full(stages * terminals, many) for many in (sends, receives))])
    rows = [
        (k, NEVER if queue is None else protocol.send_queues.index(queue))
        for k, one in enumerate(system.classes)
        for queue in waits_for(protocol, ample)[one.name] or (None,)
    ]
    kinds, waits = np.ascontiguousarray(np.transpose(rows))
    send_of = np.array([protocol.send_queues.index(system.classes[k].send) for k in kinds])
    receive_of = np.array([protocol.receive_queues.index(system.classes[k].receive) for k in kinds])
    safe = np.array([one.reserved or f"receive {one.receive}" in ample for one in system.classes])[kinds]
    start = np.array(system.first_address)[kinds]
    block, inner, home = system.block, base.rule, base.destination.astype(np.int64)
    last_send, last_receive = first_receive - width, total - back

    def rule(at: int, address: int, out: Out) -> int:
        row, offset = address // block, address % block
        inside = start[row] + offset
        terminal = home[inside]
        if at >= total:
            out[0] = first_send + (at - total) * sends + send_of[row]
            return 1
        if at >= first_receive:
            if at < last_receive:
                out[0] = at + back
            elif waits[row] < 0 or (at - last_receive) % receives == receives - 1:
                out[0] = EJECT
            else:
                out[0] = first_send + terminal * sends + waits[row]
            return 1
        where = at
        if at >= first_send:
            if at < last_send:
                out[0] = at + width
                return 1
            where = first_send + (at - last_send) // sends
            if where == first_send + terminal:
                return 0
        count = inner(where, inside, out)
        taken = count
        for k in range(count):
            if out[k] & VC_MASK == EJECT:
                tier = out[k] - EJECT
                queue = first_receive + terminal * receives
                if safe[row]:
                    out[k] = queue + receives - 1 + tier
                    out[taken] = queue + receive_of[row] + tier + NO_WAIT
                    taken += 1
                else:
                    out[k] = queue + receive_of[row] + tier
        return taken

    inside = (start[:, None] + np.arange(block)).reshape(-1)
    may_use = np.concatenate([_usable(system, int(k)) for k in kinds], axis=1)
    relation = Relation(
        network,
        VirtualChannels(network, counts),
        rule,
        name=f"{base.name} with {protocol.name}",
        commits=system.commits,
        addresses=Addressing(base.destination[inside], may_use=may_use),
    )
    return Extended(system, relation, tuple(int(k) for k in kinds), stages)


def _usable(system: System, kind: int) -> Flags:
    """Which terminal sends a message of a class to which of its addresses: shape (terminals, addresses)."""
    addresses = slice(system.first_address[kind], system.first_address[kind] + system.block)
    pairs = system.pairs(kind) if system.reaches is None else np.asarray(system.reaches[kind].any(axis=2))
    return pairs[:, system.relation.destination[addresses]] & system.relation.usable(addresses)


def _network(base: Network, stages: int) -> Network:
    """The network with a router for each terminal, and channels of some stages from and to it."""
    terminals = base.num_terminals
    node = base.num_routers + np.arange(terminals)
    between = [base.num_routers + (1 + k) * terminals + np.arange(terminals) for k in range(2 * (stages - 1))]
    out = [node, *between[: stages - 1], base.inject]
    back = [base.eject, *between[stages - 1 :], node]
    return Network(
        f"{base.name} with end points",
        base.num_routers + terminals * (2 * stages - 1),
        source=np.concatenate([base.source, *out[:-1], *back[:-1]]),
        target=np.concatenate([base.target, *out[1:], *back[1:]]),
        inject=node,
        eject=node,
    )
