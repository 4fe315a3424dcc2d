"""Can a routing deadlock with the end points of a protocol?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from unknot._base import phrases
from unknot._base.arrays import Flags
from unknot._base.deadline import MINUTE, Deadline, clock, counts_work
from unknot._base.errors import RelationError
from unknot._base.numbers import require_whole
from unknot._base.switching import DEFAULT_SWITCHING, Switching, switching_named
from unknot.certificates.verdict import Message
from unknot.flow_control.techniques import technique as flow_of
from unknot.network import Network
from unknot.network.metrics import distances_from
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation
from unknot.verify.check import check
from unknot.verify.protocols.cycles import Target, Waits
from unknot.verify.protocols.cycles import targets as every_message
from unknot.verify.protocols.extended import Extended, ample_queues, extend, is_counted
from unknot.verify.protocols.filling import filled
from unknot.verify.protocols.protocol import Protocol
from unknot.verify.protocols.runs import MOST_STATES, Run, replayed, search, shortened
from unknot.verify.protocols.system import RESERVED, System
from unknot.verify.protocols.verdict import ProtocolVerdict

FEW = (2, 3, 4, 6, 9)
"""Terminals of the subsystems in which a deadlock is looked for first."""
CENTRES = (0.0, 0.5)
"""Where they are, as parts of the number of all terminals."""
CYCLES = "cycles of waiting messages"
FILLED, FEW_BEGIN = "greatest fixpoint of waiting places, filled", "search of the states of few terminals"
SEARCHED = "search of all states"
RANKS = "end points as VCs"
"""Methods of a decision."""


def follows_worms(method: str, technique: Switching) -> bool:
    """Whether a method follows messages that hold several places under a technique."""
    flow = flow_of(technique)
    return not flow.alone and (method in (CYCLES, SEARCHED) or (method == FEW_BEGIN and not flow.queueing))


MOST_CYCLES = 20
"""Cycles whose messages are brought to their places."""
MOST_FOLLOWED, MOST_LIMITED = 150, 40
"""Terminals up to which a deadlock is shown to be smallest; of worms, or where it matters who began what."""
PLACES = 2
"""Places of a queue in which worms are followed."""
TINY, SMALL = 3_000, 20_000
"""States up to which a system is searched first of all, and a subsystem."""


@takes_relation
@counts_work
def check_protocol(
    relation: Relation,
    protocol: Protocol,
    switching: str = DEFAULT_SWITCHING,
    *,
    room: int = 1,
    time_limit: float | Deadline = MINUTE,
) -> ProtocolVerdict:
    """Decide whether packets and messages can wait for each other for ever, in the network and at terminals.

    The greatest fixpoint of waiting places comes first, with end points as VCs. Where it is empty there is no
    deadlock, nor where no cycle of messages that wait for each other has few enough transactions. Else messages of
    such a cycle, or of the fixpoint, are brought to their places. If no run comes to a deadlock so, all states are
    searched. A deadlock is an answer only with a run that was replayed.

    Parameters
    ----------
    protocol : Protocol
        What terminals do with messages.
    switching : {"vct", "saf", "wormhole", "wormhole-nonatomic"}
        The switching technique.
    room : int
        Messages that a VC holds under ``saf`` and ``vct``, all as long as the longest; one is as long as the VC.
    time_limit : float or Deadline
        Seconds.

    Returns
    -------
    ProtocolVerdict
        The verdict, with its evidence.

    Raises
    ------
    RelationError
        If the relation has other message classes than the protocol, or no address for a reply; or VCs hold several
        messages where that is not followed: under wormhole, and of messages in one packet.

    Examples
    --------
    >>> from unknot.verify.protocols import protocol
    >>> check_protocol("mesh(3, 3)", protocol("request_reply"), routing="dimension_order").deadlock_free
    False
    >>> check_protocol("mesh(3, 3)", protocol("request_reply"), routing="message_classes").deadlock_free
    True
    """
    technique, deadline = switching_named(switching), Deadline.of(time_limit, "check")
    require_whole("messages that a VC holds", room, 1, error=RelationError)
    system = System(relation, protocol, flow_of(technique).queueing, room)
    if system.terminals < 2:
        raise RelationError(f"{relation.network.name}: a protocol needs at least two terminals")
    if room > 1 and (not flow_of(technique).whole or any(one.carries for one in protocol.classes)):
        raise RelationError(
            f"VCs of {room} messages are followed under saf and vct, where each message has a packet of its own; "
            f"with {protocol.name} under {technique} give no length of messages"
        )
    verdict = by_ranks(system, technique, deadline)
    return by_search(system, technique, deadline) if verdict is None else verdict


def methods_for(protocol: Protocol, technique: Switching) -> list[str]:
    """Methods beside ranks, in turn; the states of tiny systems are searched first of all."""
    by_fixpoint = not is_counted(protocol, technique)
    return [SEARCHED, *[CYCLES] * is_alone(protocol), *[FILLED] * by_fixpoint, FEW_BEGIN, SEARCHED]


def by_search(
    system: System, technique: Switching, deadline: Deadline, methods: Sequence[str] | None = None
) -> ProtocolVerdict:
    """The verdict by methods in turn, by default all that apply, where ranks show nothing."""
    protocol, states, method = system.protocol, 0, ""
    wide = _wide(protocol) if follows_worms(CYCLES, technique) else 0
    methods = methods or methods_for(protocol, technique)
    for number, method in enumerate(methods):
        left = deadline.part(1 / (len(methods) - number))
        modelled = replace(system, worms=follows_worms(method, technique) and not wide)
        if method == CYCLES:
            run, free = _cycled(modelled, left)
            if free and not wide:
                text = "no cycle of waiting messages has enough terminals that may have begun them"
                return ProtocolVerdict(True, technique, method, text, modelled)
        elif method == FILLED:
            run = _filled(system, left)
        elif method == FEW_BEGIN:
            run = _in_part(modelled, left.end)
        else:
            every = search(modelled, most_states=TINY if number < len(methods) - 1 else MOST_STATES, end=left.end)
            run, states = every.run, every.states
            if run is None and every.complete and not wide:
                text = f"none of the {states:,} states that can be reached holds a message that can never move"
                return ProtocolVerdict(True, technique, method, text, modelled, states=states, empties=every.returns)
        if run is not None:
            run = shortened(modelled, run, deadline.closing.end)
            begun = sum(event.act == "begin" for event in run)
            least = is_least(replace(system, worms=follows_worms(CYCLES, technique)), begun, deadline.closing.end)
            text = summary(modelled, run) + "; with fewer there is no deadlock" * least
            return ProtocolVerdict(False, technique, method, text, modelled, run, states=states, smallest=least)
    text = deadline.undecided("places may wait for each other; no run to a deadlock was found")
    if wide:
        text = (
            f"undecided: under {technique} a queue is followed as two places, and {wide} messages enter one at once"
        )
    return ProtocolVerdict(None, technique, method, text, system, states=states)


def by_ranks(system: System, technique: Switching, deadline: Deadline) -> ProtocolVerdict | None:
    """The verdict of no deadlock by ranks of VCs and queues; None if ranks do not show it."""
    if is_counted(system.protocol, technique):
        return None
    ample = ample_queues(system)
    stages = 1 if flow_of(technique).alone else 2
    relation = extend(system, stages, ample).relation
    verdict = check(relation, technique, time_limit=deadline, shorten=False)
    if not verdict.deadlock_free:
        return None
    method, text = f"{RANKS}: {verdict.method}", "no message waits for ever, in the network or at terminals"
    return ProtocolVerdict(True, technique, method, text, system, certificate=verdict.certificate, ample=ample)


def _wide(protocol: Protocol) -> int:
    """Most messages that enter a send queue at once, if more than worms find places there; else 0."""
    groups = [*protocol.begins]
    groups += [
        tuple(f.message for f in one.follows for _ in range(f.count)) for one in protocol.classes if one.at_once
    ]
    most = max(n for group in groups for n in Counter(protocol[name].send for name in group).values() or (0,))
    return most if most > PLACES else 0


def is_least(system: System, transactions: int, end: float) -> bool:
    """Whether cycles show that no deadlock has fewer transactions than a number."""
    most = MOST_LIMITED if system.worms or system.protocol.outstanding is not None else MOST_FOLLOWED
    if transactions == 1 or not is_alone(system.protocol) or system.terminals > most:
        return transactions == 1
    waits = Waits(system, end)
    return not any(waits.cycles((transactions - 1) * waits.at_once)) and clock() < end


def is_alone(protocol: Protocol) -> bool:
    """Whether each message comes in a packet of its own, and is consumed by itself."""
    return all(not one.together and not one.carries for one in protocol.classes)


def summary(system: System, run: Run) -> str:
    """A deadlock in a sentence."""
    state = replayed(system, run) or {}
    messages = [message for held in state.values() for message in held]
    places = len(state) + sum(len(message.tail) for message in messages)
    begun = sum(event.act == "begin" for event in run)
    held = f"{len(messages)} {'worms' if system.worms else 'messages'} in {places} places"
    return f"after {phrases.count(begun, 'transaction')} {held} wait for each other and nothing can move"


def _cycled(system: System, deadline: Deadline) -> tuple[Run | None, bool]:
    """A run to a cycle of waiting messages, and whether no such cycle exists.

    What terminals do among themselves they may do among others too.
    """
    free = False
    for part, _ in _parts(system):
        free = True
        for targets in islice(Waits(part, deadline.end).cycles(), MOST_CYCLES):
            free = False
            run = filled(part, targets, deadline.part(0.2).end)
            if run is not None or deadline.over:
                return run, False
    return None, free and not deadline.over


def _filled(system: System, deadline: Deadline) -> Run | None:
    """A run that fills places of the greatest fixpoint."""
    ample = ample_queues(system)
    for part, _ in _parts(system):
        extended = extend(part, 1, ample)
        knot = check(extended.relation, "vct", time_limit=deadline).configuration
        if knot is not None:
            run = filled(part, list(_targets(extended, knot.messages)), deadline.part(0.5).end)
            if run is not None or deadline.over:
                return run
    return None


def _parts(system: System) -> Iterator[tuple[System, Sequence[int]]]:
    """Systems of few terminals near each other, with these, then that of all."""
    for number in [size for size in FEW if size < system.terminals]:
        for centre in CENTRES:
            near = _near(system.relation.network, int(centre * system.terminals), number)
            use = system.relation.usable() & near[:, None] & near[system.relation.destination][None, :]
            addresses = replace(system.relation.addresses, may_use=use)
            part = replace(system, relation=replace(system.relation, addresses=addresses))
            yield part, np.flatnonzero(near).tolist()
    yield system, range(system.terminals)


def _near(network: Network, centre: int, number: int) -> Flags:
    """Terminals whose routers are nearest to a given terminal's router."""
    hops = distances_from(network, int(network.inject[centre]))
    near = np.zeros(network.num_terminals, dtype=bool)
    near[np.argsort(hops[network.inject], kind="stable")[:number]] = True
    return near


def _targets(extended: Extended, messages: tuple[Message, ...]) -> Iterator[Target]:
    """The messages of a configuration in places, those with most places on their way first."""
    sent = {(one.kind, one.source, one.address): one for one in every_message(extended.system)}
    for message in sorted(messages, key=lambda one: -len(one.lead)):
        place = message.held[-1]
        side, _, name = extended.system.described(place)
        if (side, name) != ("receive", RESERVED):
            one = sent[extended.kind(message.address), message.source, extended.base_address(message.address)]
            yield replace(one, place=place, held=place)


def _in_part(system: System, end: float) -> Run | None:
    """A run to a deadlock in which few terminals begin few transactions, first among themselves."""
    few = [part for part in _parts(system) if len(part[1]) <= FEW[2]]
    for transactions in range(1, max(FEW) + 1):
        sizes = range(1, min(transactions, system.terminals) + 1)
        for part, begins in [*few, *((system, range(size)) for size in sizes)]:
            found = search(part, begins, transactions, most_states=SMALL, end=end)
            if found.run is not None or clock() > end:
                return found.run
    return None
