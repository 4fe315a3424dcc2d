"""Packets that cannot move: knots, as configurations in the prover's form, dead ends, and watchdogs of routers."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace
from typing import NoReturn

import numpy as np

from unknot._base.arrays import Flags
from unknot._base.errors import RelationError
from unknot._base.kernels.lazy_kernel import is_small
from unknot.certificates.verdict import Configuration, Message, Reachability
from unknot.flow_control.techniques import technique_of
from unknot.network.graph import path_to, reached_from
from unknot.routing.relation import Relation
from unknot.simulation.engine.codes import ANY, BETTER_OF_TWO, BLOCKED, MOVING, STALLED
from unknot.simulation.engine.dropping import readers
from unknot.simulation.engine.kernels import find_stuck
from unknot.simulation.engine.state_arrays import State
from unknot.simulation.run.scenario import Scenario

PASSES = 2
"""Visits of a packet that waits, while it is seen whether all give way."""


def stuck_vcs(relation: Relation, state: State) -> Flags:
    """The VCs whose front packet can never move: bool array, shape (VCs,); linear in their candidates per pass."""
    stuck: Flags = np.zeros(relation.num_vcs, dtype=np.bool_)
    if find_stuck.ready or not all_give_way(relation, state):
        find_stuck(relation.compiled.address, state.raw, stuck)
    return stuck


def all_give_way(relation: Relation, state: State) -> bool:
    """Whether few packets wait, each for ejection or for one that moves in the end: no kernel need be compiled then.

    What a kernel would find beyond that, such as room in the buffer of one that does not move, is left out.
    """
    if state.setup.slotted or state.setup.selection == BETTER_OF_TWO:
        return False
    inputs, rows = np.asarray(state.tables["inputs"]), state.tables["in_row"][: relation.num_vcs]
    status, stored = inputs["state"][rows], inputs["stored"][rows]
    held = (status == BLOCKED) | (status == STALLED) | ((status == MOVING) & (state.setup.shared > 0))
    left = np.flatnonzero(held & (stored > 0)).tolist()
    if not is_small(PASSES * len(left), find_stuck):
        return False
    waits = {vc: awaited_by(relation, state, vc) for vc in left}
    while waits:
        stay = {vc: those for vc, those in waits.items() if those and all(map(waits.__contains__, those))}
        if len(stay) == len(waits):
            return False
        waits = stay
    return True


def awaited_by(relation: Relation, state: State, vc: int) -> tuple[int, ...]:
    """The VCs that the packet in front of a VC waits for; none if it waits for ejection."""
    row = state.inputs[state.in_row[vc]]
    if row.state >= STALLED:
        reader = int(readers(state, int(row.out)))
        return () if reader < 0 else (int(state.buffer[reader]),)
    at = front(state, vc)
    packet, course = state.packets[at], state.courses[at] if len(state.courses) else None
    if course is not None and course.script >= 0 and packet.hops <= course.stop:
        step = int(state.script[course.script + packet.hops])
        if step != ANY:
            return (step,) if step >= 0 else ()
    if row.out >= 0:
        return (int(row.out),)
    candidates = relation.candidates(vc, int(packet.address))
    return tuple(dict.fromkeys(c.vc for c in candidates if c.waits and c.vc is not None))


def front(state: State, vc: int) -> int:
    """The packet in front of a VC."""
    row = state.in_row[vc]
    return int(state.ring[row * state.setup.ring + state.inputs.front[row]])


def sender(state: State, packet: int) -> int:
    """The terminal at whose port a packet was injected; of several subnets that of the packet's own.

    Packets name as their source the terminal of the last subnet, which creates those of all.
    """
    row, setup = state.packets[packet], state.setup
    if setup.subnets == 1:
        return int(row.source)
    return int(row.source - setup.first_home + state.forms.subnet[state.courses.form[packet]] * setup.nodes)


def knot(scenario: Scenario, state: State, stuck: Flags) -> Configuration:
    """The smallest knot among stuck VCs as a deadlock configuration.

    A knot is a strongly connected set of VCs from which no wait leads out. Under non-atomic allocation it is narrowed
    to one cycle, since each header may commit to any one of what it waits for. Lengths are those that fill the VCs,
    as in every configuration; the packets of the run may have been shorter.

    With pools it is all packets in stuck VCs: what keeps one out of a pool may stand anywhere in it.
    """
    relation, flow = scenario.simulated, scenario.control
    waits = {int(v): awaited_by(relation, state, int(v)) for v in np.flatnonzero(stuck)}
    if flow.pools:
        return _in_pools(scenario, state, waits)
    core = _smallest_knot(waits)
    if flow.queueing:
        chains = _cycle(state, waits, core)
    elif not flow.alone:
        chains = [(_worm(state, v, waits), waits[v]) for v in core if state.inputs.state[state.in_row[v]] < STALLED]
    else:
        chains = [((v,), waits[v]) for v in core]
    depth = int(state.setup.depth)
    messages = []
    for held, awaited in chains:
        packet = front(state, held[-1])
        source, address = sender(state, packet), int(state.packets.address[packet])
        lead = path(relation, source, address, held[0])
        messages.append(Message(source, address, len(held) * depth, lead, held, awaited))
    alone = len({m.source for m in messages}) == len(messages)
    reached: Reachability = "injected" if alone and not any(m.lead for m in messages) else "not-established"
    return Configuration(technique_of(scenario.control), depth, reached, tuple(messages))


def _in_pools(scenario: Scenario, state: State, waits: dict[int, tuple[int, ...]]) -> Configuration:
    """All packets in stuck VCs; the first of each waits."""
    depth, messages = int(state.setup.depth), list[Message]()
    for vc, awaited in waits.items():
        row, ring = int(state.in_row[vc]), int(state.setup.ring)
        left, place = int(state.inputs.stored[row]), int(state.inputs.front[row])
        while left > 0:
            packet = state.packets[int(state.ring[row * ring + place])]
            source, address, length = int(packet.source), int(packet.address), int(packet.length)
            lead = path(scenario.simulated, source, address, vc)
            messages.append(Message(source, address, length, lead, (vc,), awaited))
            awaited, left, place = (), left - length, (place + 1) % ring
    technique = technique_of(scenario.control)
    return Configuration(technique, depth, "not-established", tuple(messages), flow=scenario.given)


def _smallest_knot(waits: dict[int, tuple[int, ...]]) -> list[int]:
    """VCs of the smallest terminal strong component, ascending."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    number = {v: i for i, v in enumerate(waits)}
    tail = [number[v] for v, to in waits.items() for _ in to]
    head = [number[w] for to in waits.values() for w in to]
    graph = csr_array((np.ones(len(tail), dtype=np.int8), (tail, head)), shape=(len(number), len(number)))
    count, label = connected_components(graph, directed=True, connection="strong")
    final = np.ones(count, dtype=bool)
    final[label[tail][label[tail] != label[head]]] = False
    sizes = np.where(final, np.bincount(label, minlength=count), len(number) + 1)
    return [v for v, i in number.items() if label[i] == int(np.argmin(sizes))]


def _worm(state: State, header: int, stuck: Container[int]) -> tuple[int, ...]:
    """The stuck VCs a worm holds, tail first, found from its header backwards."""
    held = [header]
    while (row := int(state.outputs.owner[state.out_row[held[-1]]])) >= 0 and state.buffer[row] in stuck:
        if front(state, int(state.buffer[row])) != front(state, header):
            break  # of another packet, behind this one in its VC
        held.append(int(state.buffer[row]))
    return tuple(reversed(held))


def _cycle(
    state: State, waits: dict[int, tuple[int, ...]], core: list[int]
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """A cycle of first waits within the knot, cut where one packet ends and the next begins."""
    order: dict[int, int] = {}
    vc = core[0]
    while vc not in order:
        order[vc] = len(order)
        vc = waits[vc][0]
    cycle = list(order)[order[vc] :]
    after = dict(zip(cycle, cycle[1:] + cycle[:1], strict=True))
    ends = [
        v for v in cycle if state.inputs.sent[state.in_row[v]] == 0 or front(state, v) != front(state, after[v])
    ] or cycle[-1:]
    start = cycle.index(ends[-1]) + 1
    chains: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
    held: list[int] = []
    for v in cycle[start:] + cycle[:start]:
        held.append(v)
        if v in ends:
            chains.append((tuple(held), (after[v],)))
            held = []
    return chains


def path(relation: Relation, source: int, address: int, target: int) -> tuple[int, ...]:
    """A shortest legal way from an injection port to a VC, exclusive.

    Visits what this source reaches alone: in a subnet sources of others have no way to the address.
    """

    def after(at: int) -> list[int]:
        return [c.vc for c in relation.candidates(at, address) if c.vc is not None]

    before = reached_from([relation.num_vcs + source], after)
    return tuple(path_to(target, before)[1:-1]) if target in before else ()


def in_words(relation: Relation, configuration: Configuration, cycle: int) -> str:
    """Return a line with the cycle of a deadlock and the messages that wait for each other."""
    holder = configuration.holder

    def awaited(vc: int) -> str:
        return relation.vcs.name(vc) + (f" (message {holder[vc] + 1})" if vc in holder else "")

    parts = [
        f"{relation.network.terminal_name(m.source)} to {relation.address_name(m.address)} on "
        f"{relation.vcs.name(m.held[-1])} waits for " + " and ".join(map(awaited, m.wanted))
        for m in configuration.messages[:4]
    ]
    many = len(configuration.messages)
    waits = "; ".join(f"message {i + 1}, {text}" for i, text in enumerate(parts))
    more = f"; {many - len(parts)} more" if many > len(parts) else ""
    return f"deadlock of {many} messages, found in cycle {cycle}: {waits}{more}"


def of_terminals(configuration: Configuration, terminals: int) -> Configuration:
    """Return a configuration with terminals in place of their ports."""
    messages = tuple(replace(m, source=m.source % terminals) for m in configuration.messages)
    alone = len({m.source for m in messages}) == len(messages)
    return replace(
        configuration, messages=messages, reachability=configuration.reachability if alone else "not-established"
    )


def fail(relation: Relation, state: State, *, is_dead_end: bool) -> NoReturn:
    """Name the header at which a run ended: it has no candidate, or the rule breaks its contract.

    Raises
    ------
    RelationError
    """
    row = int(state.count.failed_at)
    at = int(state.inputs.at[row])
    packet = state.ring[row * state.setup.ring + state.inputs.front[row]]
    address = int(state.packets.address[packet])
    if not is_dead_end:
        relation.refuse(at, address)
    raise RelationError(
        f"{relation.name} on {relation.network.name}: a packet to {relation.address_name(address)} came to "
        f"{relation.vcs.name(at)} and has no candidate there; `unknot check` lists what is not delivered"
    )
