"""What every buffer of Unknot holds after every cycle, of the packets and draws of a run of BookSim.

`benchmarks.booksim_events` compares it with BookSim; `test_events` with digests of what BookSim did.
"""

from __future__ import annotations

import random
from collections import defaultdict, deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.typing as npt

from unknot.routing import Relation
from unknot.routing.relation import EJECT, VC_MASK
from unknot.simulation.engine import ends, ordinals
from unknot.simulation.engine.codes import DECIDED, LOOK_AT_ALL, MOVING, PENDING, STALLED, UNDECIDED
from unknot.simulation.engine.engine import Engine
from unknot.simulation.engine.mix import sources_of
from unknot.simulation.engine.ordinals import Absent
from unknot.simulation.run.scenario import Scenario
from unknot.traffic import Pattern, Traffic, pattern
from unknot_booksim.setup import Setup

Packet = tuple[int, int, int, int, int, int, int]
"""Time, source, class, destination, flits, kind (0; 1: read, 2: write), subnet."""
Ints = npt.NDArray[np.int64]
Ports = dict[tuple[int, int, int], int]
"""First buffer by subnet, router and port."""
KINDS = {"read_request": 1, "write_request": 2}


@dataclass
class Recorded:
    """What BookSim did, with its ports and VCs numbered as buffers of Unknot's state.

    Attributes
    ----------
    into, out_of : dict
        First buffer of each input and output port; ejection VCs follow the others.
    ports : list of (subnet, router, port)
        All input ports, those that lead nowhere included.
    offered : dict
        By key of a packet: buffers where it was, and those that it was offered there.
    tried : dict
        By key: the last cycle in which a VC to inject it was looked for, and the first of these VCs.
    states : int64 array, shape (cycles, buffers, 4)
        Flits, and of the one in front key of its packet, number in it and the buffer it is to go to, or −1.
    """

    into: Ports
    out_of: Ports
    ports: list[tuple[int, int, int]]
    offered: dict[int, dict[int, tuple[int, ...]]] = field(default_factory=dict)
    tried: dict[int, tuple[int, int]] = field(default_factory=dict)
    states: Ints | None = None


def drawn_packets(setup: Setup, cycles: int, draw: random.Random) -> list[Packet]:
    """The packets of a configuration, in the order of times."""
    options, network = setup.options, setup.relation.network
    kinds: list[tuple[Any, list[tuple[int, float, int, int]], float]] = []
    for one in options.get("classes", ()):
        forms = [(m.flits, m.share, KINDS.get(m.kind, 0), m.subnet) for m in one.messages]
        kinds.append((one.traffic, forms, one.share / one.mean_length))
    if not kinds:
        forms = [(flits, share, 0, 0) for flits, share in setup.packet_length.items()]
        kinds = [(options["traffic"], forms, setup.load / setup.mean_length)]
    packets: list[Packet] = []
    for c, (traffic, forms, chance) in enumerate(kinds):
        rates, shares = pattern(network, traffic), [form[1] for form in forms]
        for source in range(network.num_terminals):
            to, weights = destinations(rates, source, network.num_terminals)
            for time in range(cycles if to else 0):
                if draw.random() < chance:
                    flits, _, kind, subnet = draw.choices(forms, shares)[0]
                    packets.append((time, source, c, draw.choices(to, weights)[0], flits, kind, subnet))
    return sorted(packets)


def destinations(rates: Pattern, source: int, nodes: int) -> tuple[list[int], list[float]]:
    """Whom a terminal sends to, and how often."""
    if rates.weight is not None:
        to = np.flatnonzero(rates.weight[source])
        return to.tolist(), rates.weight[source][to].tolist()
    if rates.destination is not None:
        return ([int(rates.destination[source])], [1.0]) if rates.destination[source] >= 0 else ([], [])
    return list(range(nodes)), [1.0] * nodes


def key_of(created: Any, source: Any, c: Any, subnet: Any, reply: Any) -> Any:
    """The key of a packet, as the program beside the benchmark has it."""
    return ((created << 16 | source) << 4 | c) << 4 | subnet << 1 | reply


@contextmanager
def ports_of(done: Recorded, relation: Relation) -> Iterator[None]:
    """The rule *ports*: routers take turns in the order of BookSim's ports, those that lead nowhere included."""
    network, local = relation.network, relation.vcs.widest
    routers, channels = network.num_routers, network.num_channels
    inside = routers // (1 + max(subnet for subnet, _, _ in done.ports))

    def numbered(which: Ports, shift: int) -> Ints:
        number = np.zeros(channels + network.num_terminals, dtype=np.int64)
        for (_, _, port), buffer in which.items():
            of_terminal = buffer >= relation.num_vcs
            number[channels + (buffer - shift) // local if of_terminal else relation.vcs.channel[buffer]] = port
        return number

    first = numbered(done.into, relation.num_vcs)
    second = numbered(done.out_of, relation.num_vcs + local * network.num_terminals)
    absent = sorted((subnet * inside + r, port) for subnet, r, port in {*done.ports} - {*done.into})

    def gaps(number: Ints, owner: Ints) -> Ints:
        both = zip(number, owner, strict=True)
        return np.array([sum(r == at and port < own for r, port in absent) for own, at in both])

    gone = Absent(
        gaps(first, np.append(network.target, network.inject)),
        gaps(second, np.append(network.source, network.eject)),
        np.bincount([r for r, _ in absent], minlength=routers),
    )
    none = Absent(0 * gone.into, 0 * gone.out, 0 * gone.many)
    changes: list[tuple[Any, str, Any]] = [
        (ends, "SWEEPING", LOOK_AT_ALL),
        (ordinals, "SWEEPING", LOOK_AT_ALL),
        (ends, "places", lambda network, router: first),
        (ends, "absent_ports", lambda network, router, place: gone if router.looks_at_all else none),
        (ends.BufferEnds, "ranks", lambda self: (first, second)),
        (ends.BufferEnds, "port_numbers", property(lambda self: first[self.into.port[self.into.order]])),
    ]
    with ExitStack() as patched:
        for change in changes:
            patched.enter_context(patch.object(*change))
        yield


class Addresses:
    """The address of each packet: the one that offers at each step what BookSim's routing function offered."""

    def __init__(self, relation: Relation, done: Recorded, local: int) -> None:
        self.relation, self.offered, self.total = relation, done.offered, relation.num_vcs
        self.out = np.zeros(relation.max_candidates, dtype=np.int64)
        self.local, self.ends = local, relation.num_vcs + relation.network.num_terminals * local
        self.by_end: dict[int, list[int]] = defaultdict(list)
        for address, end in enumerate(relation.destination.tolist()):
            self.by_end[end].append(address)
        self.candidates = cache(self._candidates)
        self.unknown: list[str] = []

    def _candidates(self, buffer: int, address: int) -> tuple[int, ...]:
        at = buffer if buffer < self.total else self.total + (buffer - self.total) // self.local
        found = (self.out[: self.relation.rule(at, address, self.out)] & VC_MASK).tolist()
        return (-1,) if EJECT in found else tuple(sorted(found))

    def of(self, key: int, end: int, first: int, many: int) -> int:
        """The address of a packet to a terminal, of the `many` of its message class from `first` on."""
        left = [address for address in self.by_end[end] if first <= address < first + many]
        for buffer, offers in self.offered.get(key, {}).items():
            if len(left) == 1:
                break
            offers = (-1,) if offers[0] >= self.ends else tuple(sorted({*offers}))
            fitting = [address for address in left if self.candidates(buffer, address) == offers]
            if not fitting:
                self.unknown.append(f"packet {key} at {buffer} was offered {offers}, which no address is")
                break
            left = fitting
        return left[0]


def engine_of(setup: Setup, done: Recorded, *, general: bool = False) -> Engine:
    """Unknot's engine of a configuration, without packets."""
    options = setup.options
    traffic = Traffic(options.get("traffic", "uniform"), setup.packet_length)
    if "classes" in options:
        traffic = Traffic(classes=options["classes"], subnets=options.get("subnets", 1))
    routers = {name: options[name] for name in ("switching", "buffer_depth", "router")}
    scenario = Scenario(setup.relation, setup.load, traffic, **routers)
    used = {scenario.router.allocator, scenario.router.switch_allocator or scenario.router.allocator}
    # On the fast path draws are of ports that lead somewhere.
    general = general or "pim" in used
    with ports_of(done, scenario.simulated):
        engine = Engine(scenario, sources_of(scenario.relation, traffic, scenario.load), general=general)
    engine.parts[0].terminals.chance[:] = 0
    return engine


class Fed:
    """An engine that is fed with packets, and looked at after each cycle."""

    def __init__(self, setup: Setup, engine: Engine, done: Recorded, packets: list[Packet]) -> None:
        self.engine, self.done, relation = engine, done, engine.relation
        self.local = local = setup.configuration.whole("num_vcs")
        self.addresses = Addresses(relation, done, local)
        self.many, self.home = relation.network.num_terminals, relation.network.num_terminals - engine.nodes
        self.block = relation.num_addresses // max(1, len(relation.classes))
        self.draws_vcs = setup.configuration.text("topology") == "dragonflynew"
        # A packet that compares queues decides by itself; the address of another says all.
        compares = relation.decides is not None and relation.direct is None
        self.script = UNDECIDED if compares else DECIDED
        forms = [form for one in engine.scenario.traffic.classes for form in one.forms]
        self.kinds, self.first_reply = [KINDS.get(form.kind, 0) for form in forms], len(forms)
        self.waiting: dict[int, deque[Packet]] = defaultdict(deque)
        for packet in packets:
            self.waiting[packet[2] * self.many + self.home + packet[1]].append(packet)
        part = engine.parts[0]
        inside = np.arange(relation.num_vcs + self.many * local)
        ejection = part.ejection_row[:, None] + np.arange(local)
        self.buffer = np.full(len(part.outputs) + 1, -1)
        self.buffer[part.out_row[inside]] = inside
        self.buffer[ejection.reshape(-1)] = inside.size + np.arange(ejection.size)
        firsts = [done.into[port] for port in done.ports if port in done.into]
        self.rows = part.in_row[(np.array(firsts)[:, None] + np.arange(local)).reshape(-1)]

    def feed(self) -> None:
        """Give each source that has nothing to send its next packet, if that is created by now."""
        part, now = self.engine.parts[0], self.engine.now
        for row, queue in self.waiting.items():
            if not queue or queue[0][0] > now or part.terminals.packet[row] >= 0:
                continue
            reply = int(part.replies.first[row]) if len(part.replies) else -1
            if reply >= 0 and part.packets.created[reply] < now:
                continue
            time, source, c, to, flits, kind, subnet = queue[0]
            form = self._form(part.forms, c, flits, kind, subnet)
            subnet, start = (int(part.forms.subnet[form]), int(part.forms.shift[form])) if self.kinds else (0, 0)
            key = key_of(time, source, c, subnet, 0)
            if self.draws_vcs:
                # The rule *injection VC*: BookSim draws one VC in each cycle until it finds that one free.
                cycle, vc = self.done.tried.get(key, (now + 1, 0))
                if now < cycle:
                    continue
                part.terminals.last_vc[row] = vc - 1
            queue.popleft()
            start = start // self.block * self.block
            number = part.new_packet()
            fresh = part.packets[number : number + 1]
            fresh.address = self.addresses.of(key, subnet * self.engine.nodes + to, start, self.block)
            fresh.length, fresh.source, fresh.created, fresh.injected = flits, source + self.home, time, now
            fresh.hops = 0
            if len(part.courses):
                course = part.courses[number : number + 1]
                course.script, course.stop, course.form = self.script, 0, form
            part.count.created += 1
            part.terminals.packet[row], part.terminals.left[row] = number, flits

    def _form(self, forms: Any, c: int, flits: int, kind: int, subnet: int) -> int:
        for form, its_kind in enumerate(self.kinds):
            alike = forms.of[form] == c and forms.flits[form] == flits and its_kind == kind
            if alike and (kind or forms.subnet[form] == subnet):
                return form
        return 0

    def answer(self) -> None:
        """Let each reply that is next at its terminal draw the address with which BookSim sends it."""
        part, nodes = self.engine.parts[0], self.engine.nodes
        # Terminals share the addresses to another one, so each reply of a cycle gets a place of its own.
        ready = (part.replies.first >= 0) & (part.terminals.packet < 0)
        for place, row in enumerate(np.flatnonzero(ready).tolist()):
            number = int(part.replies.first[row])
            packet, form = part.packets[number], int(part.courses.form[number])
            c, source, to = row // self.many, row % self.many - self.home, int(packet.source) - self.home
            subnet, shift = int(part.forms.subnet[form]), int(part.forms.shift[form])
            key, start = key_of(int(packet.created), source, c, subnet, 1), shift // self.block * self.block
            entry = 2 * (source * nodes + to)
            address = self.addresses.of(key, subnet * nodes + to, start, self.block)
            part.reply_range[entry : entry + 2] = place, place + 1
            part.reply_addresses[place] = address - shift

    def look(self) -> Ints:
        """What every buffer holds, as in `Recorded.states`."""
        part = self.engine.state
        inputs, table = part.inputs[self.rows], np.empty((self.rows.size, 4), dtype=np.int64)
        number = part.ring[self.rows * int(part.setup.ring) + inputs.front]
        packet, c, subnet, reply = part.packets[number], 0, 0, False
        if self.kinds:
            form = part.courses.form[number]
            c, subnet, reply = part.forms.of[form], part.forms.subnet[form], form >= self.first_reply
        granted = np.isin(inputs.state, (MOVING, PENDING, STALLED))
        key = key_of(packet.created, packet.source - self.home, c, subnet, reply)
        table[:, 0] = inputs.stored
        table[:, 1] = np.where(inputs.stored > 0, key, -1)
        table[:, 2] = np.where(inputs.stored > 0, inputs.sent * granted, -1)
        table[:, 3] = np.where(granted, self.buffer[inputs.out], -1)
        return table

    def after_each_cycle(self, cycles: int) -> Iterator[Ints]:
        """Simulate, and look after each cycle."""
        for now in range(cycles):
            self.feed()
            if self.engine.parts[0].reply_range.size:
                self.answer()
            self.engine.advance_to(now + 1)
            yield self.look()
