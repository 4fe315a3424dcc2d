"""Replays of deadlock configurations in the simulator, and recordings of what every buffer holds meanwhile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from unknot._base.errors import RelationError, SimulationError
from unknot._base.numbers import require_whole
from unknot._base.shown import Brief
from unknot.certificates.plain import Rejected
from unknot.certificates.verdict import Configuration, Message
from unknot.certificates.verdict_checker import accept_configuration, accept_placement
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation
from unknot.routing.waiting import keeps_choice
from unknot.simulation.engine.codes import ANY, EMPTY, FRESH, LEAVES, STALLED
from unknot.simulation.engine.detector import awaited_by, front, knot, stuck_vcs
from unknot.simulation.engine.engine import Engine
from unknot.simulation.engine.state_arrays import State, set_bit
from unknot.simulation.run.scenario import Scenario, check_buffers, check_numbers
from unknot.traffic import Traffic


@dataclass(frozen=True, repr=False)
class Replay(Brief):
    """Outcome of a configuration that was put into the simulator.

    Attributes
    ----------
    stuck : bool
        No message of it moved until the end, and the detector found the knot.
    injected : bool
        True when the messages were injected at their terminals and travelled there; False when they were placed.
    cycles : int
        Cycles simulated.
    waits : tuple of (int, tuple of int)
        Who waits for whom: for each message, by position in the configuration, the messages that hold what it
        wants.
    knot : Configuration or None
        The knot as the detector reports it.

    Examples
    --------
    >>> from unknot.verify import check
    >>> configuration = check("ring(4)", routing="dimension_order").configuration
    >>> outcome = replay("ring(4)", configuration, routing="dimension_order", cycles=100)
    >>> outcome.stuck, outcome.injected, outcome.waits
    (True, True, ((0, (1,)), (1, (2,)), (2, (3,)), (3, (0,))))
    """

    stuck: bool
    injected: bool
    cycles: int
    waits: tuple[tuple[int, tuple[int, ...]], ...]
    knot: Configuration | None


@takes_relation
def replay(
    relation: Relation,
    configuration: Configuration,
    *,
    cycles: int = 1000,
    watch: Callable[[Engine], None] | None = None,
) -> Replay:
    """Put the messages of a configuration into an otherwise empty network and see whether any of them ever moves.

    A configuration that is `injected` or `scheduled` is injected at its terminals, in schedule order each message
    once the one before stands still; every header follows lead and held VCs and waits there until all are in place.
    Other configurations are placed into the buffers. Then the headers are let go: each asks for what it waits for
    (under non-atomic allocation, or if the relation commits, for the one candidate it has chosen), and the network
    runs on.

    Parameters
    ----------
    configuration : Configuration
        The packets that block each other.
    cycles : int
        Cycles to go on after the headers are let go.
    watch : callable, optional
        Called with the engine after each cycle until all stand still, and at the end.

    Returns
    -------
    Replay
        Whether the packets are stuck.

    Raises
    ------
    RelationError
        If the configuration is not one of this relation: a prescribed step that the rule does not offer, a VC held
        twice, a length that does not fill the held VCs.
    SimulationError
        If `cycles` is not positive.

    Examples
    --------
    >>> from unknot.verify import check
    >>> configuration = check("ring(4)", routing="dimension_order").configuration
    >>> replay("ring(4)", configuration, routing="dimension_order", cycles=100).stuck
    True
    """
    require_whole("cycles", cycles, 1, error=SimulationError)
    depth = configuration.buffer_depth
    try:
        ordered = configuration.queued or configuration.order
        (accept_configuration if ordered else accept_placement)(relation, configuration)
    except Rejected as error:
        raise RelationError(f"the configuration cannot be: {error}") from None
    longest = max(message.length for message in configuration.messages)
    check_numbers(longest, depth)
    check_buffers(longest, configuration.switching, depth)
    workload = Traffic(packet_length=configuration.messages[0].length if configuration.queued else 1)
    flow = configuration.flow
    scenario = Scenario(relation, 0.0, workload, configuration.switching, depth, seed=0, flow=flow)
    engine = Engine(scenario, general=True)
    look = watch or (lambda engine: None)
    _write_packets(engine, configuration)
    injected = configuration.reachability != "not-established"
    if not injected:
        _place(engine.state, configuration)
    else:
        many = len(configuration.messages)
        together = many if configuration.reachability == "injected" else 1
        for first in range(0, many if not configuration.order else 0, together):
            _inject(engine, configuration, range(first, first + together), look, 10_000 if watch is None else 1)
        _inject_in_order(engine, configuration, look, 10_000 if watch is None else 1)
        if configuration.order:  # packets that no port lets in
            outside = [k for k, message in enumerate(configuration.messages) if not message.lead and not message.held]
            _inject(engine, configuration, outside, look, 10_000 if watch is None else 1)
    state = engine.state
    holder = configuration.holder  # of messages that share a buffer the one in front
    standing = Counter(vc for message in configuration.messages for vc in message.held)
    in_place = all(
        state.inputs.stored[state.in_row[vc]] == (standing[vc] * message.length if configuration.queued else depth)
        and front(state, vc) == holder[vc]
        for message in configuration.messages
        for vc in message.held
    )
    staying = sum(message.length for message in configuration.messages if not _leaves(message))
    in_place &= not injected or engine.count("flits_in") - engine.count("flits_out") == staying
    state.setup.hold = 0
    moved = engine.count("flit_hops"), engine.count("flits_in")
    try:
        engine.advance_to(engine.now + cycles)
    except RelationError:
        if moved == (engine.count("flit_hops"), engine.count("flits_in")):
            raise
    look(engine)
    stuck = stuck_vcs(relation, state)
    # The detector reckons with packets that are still to come, which could move a mark; here none is sent.
    all_stuck = in_place and (bool(scenario.control.marks) or all(stuck[vc] for vc in holder))
    waits = []
    for k, message in enumerate(configuration.messages):
        stands = [vc for vc in message.held[-1:] if stuck[vc] and front(state, vc) == k]
        awaited = awaited_by(relation, state, stands[0]) if stands else ()
        waits.append((k, tuple(dict.fromkeys(holder[w] for w in awaited if w in holder))))
    return Replay(
        stuck=bool(all_stuck and moved == (engine.count("flit_hops"), engine.count("flits_in"))),
        injected=injected,
        cycles=engine.now,
        waits=tuple(waits),
        knot=knot(scenario, state, stuck) if stuck.any() else None,
    )


def _leaves(message: Message) -> bool:
    """Whether a message has left the network before the deadlock."""
    return bool(message.lead) and not message.held


def _write_packets(engine: Engine, configuration: Configuration) -> None:
    """Write message k as packet k; its prescribed path ends with the committed candidate, any, or ejection."""
    script: list[int] = []
    state, commits = engine.state, keeps_choice(engine.relation.commits, configuration.switching)
    for k, message in enumerate(configuration.messages):
        path = [*message.lead, *message.held]
        row = state.packets[k]
        row.created = row.injected = row.hops = 0
        row.address, row.length, row.source = message.address, message.length, message.source
        state.courses.script[k], state.courses.stop[k] = len(script), len(path) + _leaves(message)
        script += [*path, *(message.wanted[:commits] or (LEAVES if _leaves(message) else ANY,))]
    state.count.high = len(configuration.messages)
    state.setup.hold = 1
    engine.parts[0] = state.replaced(script=script)


def _inject(
    engine: Engine, configuration: Configuration, wave: Sequence[int], watch: Callable[[Engine], None], step: int
) -> None:
    """Inject some messages and run until nothing moves, or all has left, with a look every `step` cycles."""
    watch(engine)
    terminals = engine.state.terminals
    for k in wave:
        message = configuration.messages[k]
        row = terminals[message.source]
        row.packet, row.left = k, message.length
    while not engine.advance(engine.now + step):
        watch(engine)
        if (terminals.packet < 0).all() and engine.count("flits_in") == engine.count("flits_out"):
            break


def _inject_in_order(
    engine: Engine, configuration: Configuration, watch: Callable[[Engine], None], step: int
) -> None:
    """Let the header of one message after the other go on by a VC, until nothing moves each time."""
    hops = Counter[int]()
    for k in configuration.order:
        hops[k] += 1
        engine.state.courses.stop[k] = hops[k]
        if hops[k] == 1:
            _inject(engine, configuration, range(k, k + 1), watch, step)
        else:
            _inject(engine, configuration, range(0), watch, step)


def _place(state: State, configuration: Configuration) -> None:
    """Fill the held VCs of all messages, and let the headers begin in the next cycle."""
    for packet, message in enumerate(configuration.messages):
        for i, vc in enumerate(message.held):
            _fill(state, packet, message, i, vc)


def _fill(state: State, packet: int, message: Message, i: int, vc: int) -> None:
    row, end, depth = int(state.in_row[vc]), int(state.out_row[vc]), int(state.setup.depth)
    inputs, outputs, header = state.inputs[row], state.outputs[end], i == len(message.held) - 1
    state.ring[row * state.setup.ring] = packet
    outputs.credits = 0
    inputs.stored = depth
    inputs.sent = (len(message.held) - 1 - i) * depth
    inputs.state = FRESH if header else STALLED
    if i:
        outputs.owner = state.in_row[message.held[i - 1]]
    if i or state.setup.entry == EMPTY:
        state.set_open(end, False)
    if header:
        set_bit(state.masks.heads, state.words.first_input, row, True)
        state.packets.hops[packet] = state.courses.stop[packet]
    else:
        beyond = int(state.out_row[message.held[i + 1]])
        inputs.out, inputs.length = beyond, message.length
        port, first = state.outputs.port[beyond], state.words.first_output[state.first_word]  # of each router
        inputs.out_port_bit = port - first[np.searchsorted(first, port, side="right") - 1]
