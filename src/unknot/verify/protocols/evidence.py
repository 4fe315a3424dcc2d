"""What a verdict with end points rests on: claims for the checker, and a deadlock in words and as a configuration.

In a configuration terminals are routers and queues VCs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial, reduce
from typing import Any

import numpy as np

from unknot._base.switching import BUFFER_DEPTH
from unknot.certificates.documents import Document, document
from unknot.certificates.plain import Unchecked, accept
from unknot.certificates.verdict import Configuration
from unknot.certificates.verdict import Message as ConfigurationMessage
from unknot.certificates.verdict_claims import reason_of
from unknot.network import Network
from unknot.routing.relation import Relation
from unknot.routing.virtual_channels import VirtualChannels
from unknot.verify.protocols.decision import CYCLES
from unknot.verify.protocols.extended import extend
from unknot.verify.protocols.machine import destination, step
from unknot.verify.protocols.machine_state import ANY, TAILS, Event, MachineMessage, State
from unknot.verify.protocols.queue_room import has_room
from unknot.verify.protocols.system import System
from unknot.verify.protocols.verdict import ProtocolVerdict

MOST_ADDRESSES, MOST_STATES = 300, 5_000
"""Addresses, and states of a search, up to which the plain checker is asked before a verdict is shown."""
BEFORE = "the message before it"


def claims(verdict: ProtocolVerdict) -> list[Document]:
    """The claim of a verdict; none where it is open, or free although not every state can be emptied."""
    system = verdict.system
    proof: Document
    if verdict.run is not None:
        proof = {"worms" if system.worms else "run": [_move(system, event) for event in verdict.run]}
        proof |= {"smallest": True} if verdict.smallest else {}
    elif verdict.certificate is not None:
        proof = reason_of(verdict.certificate) | {"ample": list(verdict.ample)}
    elif verdict.empties and not system.relation.commits:
        proof = {"kind": "states"}
    elif verdict.deadlock_free and verdict.method == CYCLES:
        proof = {"kind": "cycles"}
    else:
        return []
    about = {"switching": verdict.switching, "deadlock_free": bool(verdict.deadlock_free)}
    return [{"subject": "protocol", **about, "protocol": plainly(system), "proof": proof}]


def holds(verdict: ProtocolVerdict) -> bool | None:
    """Whether the plain checker accepts the evidence; None if missing or too large for it."""
    made = claims(verdict)
    relation = verdict.system.relation
    if not made or relation.num_addresses > MOST_ADDRESSES or (verdict.empties and verdict.states > MOST_STATES):
        return None
    try:
        accept(document(relation.network, relation, made))
    except Unchecked:
        return None
    return True


def plainly(system: System) -> Document:
    """A protocol and the queues of its terminals as plain data."""
    protocol = system.protocol
    classes: Document = {}
    for one in protocol.classes:
        content: dict[str, Any] = asdict(one)
        content["follows"] = [{"class": f.message, "to": f.to, "count": f.count} for f in one.follows]
        classes[content.pop("name")] = content
    return {
        "name": protocol.name,
        **({"room": system.room} if system.room > 1 else {}),
        "networks": list(system.relation.classes),
        "classes": classes,
        "begins": [list(group) for group in protocol.begins],
        "outstanding": protocol.outstanding,
        "send": {name: {"depth": protocol.send_depth(name)} for name in protocol.send_queues},
        "receive": {name: asdict(protocol.room(name)) for name in protocol.receive_queues},
    }


def _move(system: System, event: Event) -> list[Any]:
    """A move with names of queues and classes; the second place of a queue is its stage 2."""
    sends = [[system.classes[kind].name, address] for kind, address in event.sends]
    if event.act == "begin":
        return ["begin", event.place, sends]
    where, stage = system.described(event.place), 1 + event.place // system.places
    if event.act == "consume":
        return ["consume", *where[1:], stage if system.worms else event.position, sends]
    if event.act == "choose":
        return ["choose", *where, stage, event.to]
    return ["move", *where, *([stage, event.to, TAILS.index(event.tail)] if system.worms else [event.to])]


@dataclass(frozen=True)
class Blocked:
    """A message that can never move.

    Attributes
    ----------
    message : str
        Its class.
    source, destination : str
        Names of terminals.
    place : str
        VC or queue in which it stands.
    waits_for : str
        What it waits for: VCs and queues that are full, or another message.
    """

    message: str
    source: str
    destination: str
    place: str
    waits_for: str


def steps(verdict: ProtocolVerdict) -> list[str]:
    """Return each move of the run to a deadlock in words; consecutive moves of a message as one, of a worm each."""
    return [words for words, _ in told(verdict)]


def told(verdict: ProtocolVerdict) -> list[tuple[str, State]]:
    """Return the steps of the run, each with the state after the step, in which transactions have numbers."""
    system, state = verdict.system, State()
    lines: list[tuple[str, State]] = []
    moving: MachineMessage | None = None
    for number, event in enumerate(verdict.run or ()):
        message = state[event.place][event.position] if event.act != "begin" else None
        state = step(system, state, event, number)
        if event.act in ("move", "choose") and message is not None:
            to = destination(system, event.place, message, event.to)
            where = "room that was reserved" if to is None else system.place_name(to)
            if event.tail == "stays":
                where += f", its tail still in {system.place_name((*message.tail, event.place)[0])}"
            if event.act == "choose":
                lines.append((f"{named(system, message)} will wait for {where} alone", state))
            elif moving == message and lines and not system.worms:
                lines[-1] = f"{lines[-1][0]}, {where}", state
            else:
                lines.append((f"{named(system, message)} goes to {where}", state))
            moving = message
        else:
            lines.append((_spoken(system, event, message), state))
            moving = None
    return lines


def blocked(verdict: ProtocolVerdict) -> list[Blocked]:
    """Return the messages that are left when nothing moves."""
    state = end_of(verdict)
    return blocked_in(verdict.system, state, {place: range(len(messages)) for place, messages in state.items()})


def end_of(verdict: ProtocolVerdict) -> State:
    """Return the state after the run of a verdict."""
    return reduce(partial(step, verdict.system), verdict.run or (), State())


def blocked_in(system: System, state: State, held: Mapping[int, Sequence[int]]) -> list[Blocked]:
    """Return the messages of a state at some positions of places, and what they wait for; the first ones first."""
    name = system.relation.network.terminal_name
    every = [
        Blocked(
            system.classes[message.kind].name,
            name(message.source),
            name(system.home(message.address)),
            " back to ".join(map(system.place_name, (place, *message.tail[:1]))),
            _awaited(system, state, place, position),
        )
        for place in sorted(held)
        for position in held[place]
        for message in (state[place][position],)
    ]
    return sorted(every, key=lambda one: one.waits_for == BEFORE)


def knot(verdict: ProtocolVerdict) -> tuple[Relation, Configuration | None]:
    """Return the network with its end points, and the messages at the end of a run to a deadlock, to draw them.

    A queue is a VC between the router of its terminal and that of the network; both places that worms have in one are
    this VC. Of several messages in a queue the first waits for others.
    """
    system, state = verdict.system, end_of(verdict)
    extended = extend(system)
    network = _beside(system.relation.network, extended.relation.network)
    vcs_there = VirtualChannels(network, extended.relation.vcs.counts)
    relation = replace(extended.relation, network=network, vcs=vcs_there)
    if verdict.run is None:
        return relation, None

    def vcs(places: list[int]) -> tuple[int, ...]:
        return tuple(dict.fromkeys(extended.vc(place % system.places) for place in places))

    messages = []
    for place, held in state.items():
        for position, one in enumerate(held):
            block = extended.kinds.index(one.kind) * system.block
            address = block + one.address - system.first_address[one.kind]
            targets = vcs(awaited(system, state, place, position))
            messages.append(ConfigurationMessage(one.source, address, 1, (), vcs([*one.tail, place]), targets))
    return relation, Configuration(verdict.switching, BUFFER_DEPTH, "scheduled", tuple(messages))


def _beside(base: Network, extended: Network) -> Network:
    """The network with end points and names; in a grid with each terminal beside its router."""
    terminals = tuple(base.terminal_name(t) for t in range(base.num_terminals))
    labels = (*(base.router_name(r) for r in range(base.num_routers)), *terminals)
    named = replace(extended, places=replace(extended.places, router_labels=labels, terminal_labels=terminals))
    if base.coordinates is None or np.unique(base.inject).size < base.num_terminals:
        return named
    flat = np.zeros((base.num_routers, max(0, 2 - base.coordinates.shape[1])), dtype=int)
    at = 2 * np.concatenate([base.coordinates, flat], axis=1)
    off = at[base.inject] + np.r_[1, 1, np.zeros(at.shape[1] - 2, dtype=int)]
    everywhere = np.concatenate([at, off])
    return replace(
        named,
        places=replace(
            named.places, coordinates=everywhere, radices=tuple((everywhere.max(axis=0) + 1).tolist()), dimensions=()
        ),
    )


def awaited(system: System, state: State, place: int, position: int) -> list[int]:
    """Places for which a message waits; empty for a message behind another or waiting for its partner."""
    message = state[place][position]
    if position and system.ordered(place):
        return []
    if message.chosen != ANY:
        return [message.chosen]
    if candidates := system.onward(place, message.address)[1]:
        return [to for to in (destination(system, place, message, one) for one in candidates) if to is not None]
    rule = system.classes[message.kind]
    terminal = system.terminal_of(place) or 0
    queues = [system.send_place(terminal, system.number[follow.message]) for follow in rule.follows]
    full = [one for one in queues if not has_room(system, state, one)]
    return list(dict.fromkeys(full or queues * (system.protocol.partner(rule.name) is None)))


def _awaited(system: System, state: State, place: int, position: int) -> str:
    if position and system.ordered(place):
        return BEFORE
    message = state[place][position]
    places = list(map(system.place_name, awaited(system, state, place, position)))
    partner = system.protocol.partner(system.classes[message.kind].name)
    between = " or " if system.onward(place, message.address)[1] else " and "
    return between.join(places or ([f"its {partner.name}"] if partner else []))


def _spoken(system: System, event: Event, message: MachineMessage | None) -> str:
    name = system.relation.network.terminal_name
    sent = " and ".join(
        f"{system.classes[kind].name} to {name(system.home(address))}" for kind, address in event.sends
    )
    if message is None:
        return f"{name(event.place)} sends {sent}"
    terminal = name(system.home(message.address))
    return f"{terminal} consumes {named(system, message)}" + (f" and sends {sent}" if sent else "")


def named(system: System, message: MachineMessage) -> str:
    """Return the class, the sender and the destination of a message in words."""
    name = system.relation.network.terminal_name
    kind = system.classes[message.kind].name
    return f"{kind} of {name(message.source)} for {name(system.home(message.address))}"
