"""The simulator in plain objects: every flit is one, every router works for itself, every cycle is spelled out.

Written from the timing rules alone; only the start values of the random numbers and the table of pairs are shared
with the kernel.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from unknot.routing.relation import Relation
from unknot.simulation.traffic import Pairs, streams


@dataclass
class Packet:
    address: int
    length: int
    created: int
    source: int
    injected: int = -1
    hops: int = 0


@dataclass
class Flit:
    packet: Packet
    index: int

    @property
    def head(self) -> bool:
        return self.index == 0

    @property
    def tail(self) -> bool:
        return self.index == self.packet.length - 1


class Wire:
    """Delivers what is put on it in cycle s in cycle s + latency + 1."""

    def __init__(self, latency: int) -> None:
        self.latency = latency
        self.items: deque = deque()

    def put(self, cycle: int, item) -> None:
        self.items.append((cycle + self.latency + 1, item))

    def read(self, cycle: int):
        while self.items and self.items[0][0] <= cycle:
            assert self.items[0][0] == cycle
            yield self.items.popleft()[1]


@dataclass(eq=False)
class OutputVC:
    """The upstream end of a buffer: who sends into it and how much room is known to be left."""

    credits: int
    depth: int
    endless: bool = False
    owner: InputVC | None = None
    grant: int = 0

    def free_for(self, length: int, switching: str) -> bool:
        if self.owner is not None:
            return False
        if self.endless or switching == "wormhole-nonatomic":
            return True
        return self.credits == self.depth if switching == "wormhole" else self.credits >= length


@dataclass(eq=False)
class InputVC:
    at: int
    queue: deque = field(default_factory=deque)
    routing_from: int | None = None
    blocked: bool = False
    committed: object = None
    out: OutputVC | None = None
    active_from: int = 0
    accept: int = 0


@dataclass(eq=False)
class Port:
    """A physical channel into or out of a router, with its VCs on that side."""

    vcs: list
    flits: Wire
    credits: Wire
    turn: int = 0
    next_vc: int = 0


class Router:
    def __init__(self) -> None:
        self.inputs: list[Port] = []
        self.outputs: list[Port] = []


class Generator:
    """SplitMix64, the upper 53 bits."""

    def __init__(self, state: int) -> None:
        self.state = int(state)

    def draw(self) -> int:
        word = 2**64 - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & word
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & word
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & word
        return (z ^ (z >> 31)) >> 11


@dataclass(eq=False)
class Terminal:
    number: int
    random: Generator
    injection: list[OutputVC]
    flits: Wire
    credits: Wire
    packet: Packet | None = None
    sent: int = 0
    vc: int | None = None
    last: int = 0
    drawn: int = 0


class Simulator:
    def __init__(
        self, relation: Relation, switching: str, *, length: int, depth: int, chance: float, seed: int, pairs: Pairs
    ) -> None:
        network, self.relation, self.switching = relation.network, relation, switching
        self.length, self.pairs = length, pairs
        self.threshold = [int(chance * rate * 2**53) for rate in pairs.rate.tolist()]
        self.now = self.flit_hops = self.flits_in = self.flits_out = self.created = 0
        self.arrived: list[tuple[int, int, int]] = []
        self.routers = [Router() for _ in range(network.num_routers)]
        self.output: dict[int, OutputVC] = {}
        self.input: list[InputVC] = []
        self.ejection: dict[int, list[OutputVC]] = {}
        self.terminals: list[Terminal] = []
        self.sinks: list[Wire] = []
        local = max([1, *relation.vcs.counts.tolist()])
        for c in range(network.num_channels):
            latency = int(network.latency[c])
            flits, returned = Wire(latency), Wire(latency)
            numbers = range(int(relation.vcs.first[c]), int(relation.vcs.first[c + 1]))
            ends = [OutputVC(depth, depth) for _ in numbers]
            buffers = [InputVC(v) for v in numbers]
            self.output.update(zip(numbers, ends, strict=True))
            self.input += buffers
            self.routers[network.source[c]].outputs.append(Port(ends, flits, returned))
            self.routers[network.target[c]].inputs.append(Port(buffers, flits, returned))
        for t, start in enumerate(streams(seed, network.num_terminals)):
            flits, returned = Wire(1), Wire(1)
            injection = [OutputVC(depth, depth) for _ in range(local)]
            buffers = [InputVC(relation.num_vcs + t) for _ in range(local)]
            self.terminals.append(Terminal(t, Generator(start), injection, flits, returned, last=local - 1))
            self.routers[network.inject[t]].inputs.append(Port(buffers, flits, returned))
            self.ejection[t] = [OutputVC(0, 0, endless=True) for _ in range(local)]
            sink = Wire(1)
            self.sinks.append(sink)
            self.routers[network.eject[t]].outputs.append(Port(self.ejection[t], sink, Wire(1)))

    def run(self, cycles: int) -> None:
        for _ in range(cycles):
            self.read()
            for terminal in self.terminals:
                self.create(terminal)
                self.inject(terminal)
            decisions = []
            for router in self.routers:
                decisions.append((router, self.match_vcs(router), self.match_ports(router)))
            for router, allocated, sends in decisions:
                self.update(router, allocated, sends)
            self.now += 1

    def finish(self) -> list[tuple[int, int, int]]:
        """Arrived packets as (latency, network latency, hops), those on their last wire included."""
        found = list(self.arrived)
        for sink in self.sinks:
            found += [self.record(flit.packet, cycle) for cycle, flit in sink.items if flit.tail]
        return sorted(found)

    def record(self, packet: Packet, cycle: int) -> tuple[int, int, int]:
        return cycle - packet.created, cycle - packet.injected, packet.hops

    def read(self) -> None:
        for router in self.routers:
            for port in router.inputs:
                for index, flit in port.flits.read(self.now):
                    vc = port.vcs[index]
                    vc.queue.append(flit)
                    if len(vc.queue) == 1 and flit.head:
                        vc.routing_from = self.now + 1
            for port in router.outputs:
                for index in port.credits.read(self.now):
                    port.vcs[index].credits += 1
        for terminal in self.terminals:
            for index in terminal.credits.read(self.now):
                terminal.injection[index].credits += 1
        for sink in self.sinks:
            for flit in sink.read(self.now):
                if flit.tail:
                    self.arrived.append(self.record(flit.packet, self.now))

    def create(self, terminal: Terminal) -> None:
        t, pairs = terminal.number, self.pairs
        choices = list(range(len(self.terminals)))
        if pairs.everyone == 0:
            choices.remove(t)
        if pairs.everyone < 0:
            choices = list(range(int(pairs.pair_first[t]), int(pairs.pair_first[t + 1])))
        if not self.threshold[t] and terminal.packet is None:
            terminal.drawn = self.now + 1
        while choices and terminal.packet is None and terminal.drawn <= self.now:
            if terminal.random.draw() < self.threshold[t]:
                address = choices[terminal.random.draw() % len(choices)]
                if pairs.keep.size and terminal.random.draw() >= pairs.keep[address]:
                    address = int(pairs.other[address])
                if pairs.everyone < 0:
                    begin, end = pairs.address_range[2 * address : 2 * address + 2]
                    usable = pairs.addresses[begin:end]
                    address = int(usable[terminal.random.draw() % len(usable) if len(usable) > 1 else 0])
                terminal.packet = Packet(address, self.length, terminal.drawn, t)
                terminal.sent = 0
                self.created += 1
            terminal.drawn += 1

    def inject(self, terminal: Terminal) -> None:
        packet = terminal.packet
        if packet is None:
            return
        if terminal.vc is None:
            many = len(terminal.injection)
            for i in range(1, many + 1):
                index = (terminal.last + i) % many
                vc = terminal.injection[index]
                if vc.credits > 0 and vc.free_for(packet.length, self.switching):
                    terminal.vc = terminal.last = index
                    packet.injected = self.now
                    if self.relation.direct is not None:
                        self.compare(packet)
                    break
        if terminal.vc is None or terminal.injection[terminal.vc].credits == 0:
            return
        terminal.injection[terminal.vc].credits -= 1
        terminal.flits.put(self.now, (terminal.vc, Flit(packet, terminal.sent)))
        terminal.sent += 1
        self.flits_in += 1
        if terminal.sent == packet.length:
            terminal.packet = terminal.vc = None

    def compare(self, packet: Packet) -> None:
        direct = int(self.relation.direct[packet.source, self.relation.destination[packet.address]])
        if direct not in (-1, packet.address) and self.cost(packet.source, direct) <= self.cost(
            packet.source, packet.address
        ):
            packet.address = direct

    def cost(self, source: int, address: int) -> float:
        """Flits that wait for or travel on the first channel of a way, times its channels."""
        relation, way = self.relation, [self.relation.num_vcs + source]
        while len(way) <= relation.num_vcs + 1:
            offered = relation.candidates(way[-1], address)
            if not offered:
                break
            vc = min(offered, key=lambda c: c.tier).vc
            if vc is None:
                queue = 0
                if len(way) > 1:
                    c = relation.vcs.channel[way[1]]
                    for v in range(relation.vcs.first[c], relation.vcs.first[c + 1]):
                        queue += self.output[v].depth - self.output[v].credits
                return queue * (len(way) - 1)
            way.append(vc)
        return float("inf")

    def wishes(self, vc: InputVC) -> list[OutputVC]:
        """What a header requests in this cycle."""
        packet = vc.queue[0].packet
        if self.switching == "saf" and not any(f.tail and f.packet is packet for f in vc.queue):
            return []
        offered = self.relation.candidates(vc.at, packet.address)
        assert offered
        ends = {
            c: [self.output[c.vc]]
            if c.vc is not None
            else self.ejection[int(self.relation.destination[packet.address])]
            for c in offered
        }

        def free(c) -> list[OutputVC]:
            return [o for o in ends[c] if o.free_for(packet.length, self.switching)]

        if self.relation.commits:
            if vc.committed is None:
                able = [c for c in offered if free(c)] or [c for c in offered if c.waits]
                vc.committed = min(able, key=lambda c: c.tier)
            offered = [vc.committed]
        elif vc.blocked:
            offered = [c for c in offered if c.waits]
        able = [c for c in offered if free(c)]
        if not able:
            vc.blocked = True
            return []
        tier = min(c.tier for c in able)
        return [o for c in able if c.tier == tier for o in free(c)]

    def match_vcs(self, router: Router) -> list[tuple[InputVC, OutputVC]]:
        inputs = [vc for port in router.inputs for vc in port.vcs]
        outputs = [vc for port in router.outputs for vc in port.vcs]
        requests = {}
        for i, vc in enumerate(inputs):
            if vc.queue and vc.out is None and vc.routing_from <= self.now:
                requests[i] = {outputs.index(o) for o in self.wishes(vc)}
        won = islip(requests, [v.grant for v in outputs], [v.accept for v in inputs])
        for i, o in won:
            outputs[o].grant, inputs[i].accept = (i + 1) % len(inputs), (o + 1) % len(outputs)
        return [(inputs[i], outputs[o]) for i, o in won]

    def match_ports(self, router: Router) -> list[tuple[Port, InputVC, Port]]:
        best: dict[tuple[int, int], int] = {}
        for i, port in enumerate(router.inputs):
            many = len(port.vcs)
            for k in range(many):
                index = (port.next_vc + k) % many
                vc = port.vcs[index]
                if not vc.queue or vc.out is None or vc.active_from > self.now:
                    continue
                if not vc.out.endless and vc.out.credits == 0:
                    continue
                o = next(o for o, p in enumerate(router.outputs) if vc.out in p.vcs)
                best.setdefault((i, o), index)
        requests: dict[int, set[int]] = {}
        for i, o in best:
            requests.setdefault(i, set()).add(o)
        won = islip(requests, [p.turn for p in router.outputs], [p.turn for p in router.inputs])
        sends = []
        for i, o in won:
            into, out, index = router.inputs[i], router.outputs[o], best[i, o]
            out.turn, into.turn = (i + 1) % len(router.inputs), (o + 1) % len(router.outputs)
            into.next_vc = (index + 1) % len(into.vcs)
            sends.append((into, into.vcs[index], out))
        return sends

    def update(self, router: Router, allocated: list, sends: list) -> None:
        for vc, out in allocated:
            vc.out, out.owner, vc.active_from = out, vc, self.now + 1
        for into, vc, port in sends:
            flit, out = vc.queue.popleft(), vc.out
            self.flit_hops += 1
            flit.packet.hops += flit.head
            into.credits.put(self.now, into.vcs.index(vc))
            if out.endless:
                self.flits_out += 1
                port.flits.put(self.now + 1, flit)
            else:
                out.credits -= 1
                port.flits.put(self.now + 1, (port.vcs.index(out), flit))
            if flit.tail:
                out.owner = vc.out = vc.committed = None
                vc.blocked = False
                vc.routing_from = self.now + 2


def islip(requests: dict[int, set[int]], grant: list[int], accept: list[int]) -> list[tuple[int, int]]:
    """One iteration: each output grants, each input accepts, the first at or after its pointer."""
    granted: dict[int, list[int]] = {}
    for o in range(len(grant)):
        asking = [i for i, wanted in requests.items() if o in wanted]
        if asking:
            first = min(asking, key=lambda i: (i - grant[o]) % len(accept))
            granted.setdefault(first, []).append(o)
    return [(i, min(outs, key=lambda o: (o - accept[i]) % len(grant))) for i, outs in sorted(granted.items())]
