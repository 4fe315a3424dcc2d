"""The simulator in plain objects: every flit is one, every router works for itself, every cycle is spelled out.

Written from the timing rules alone; only the start values of the random numbers, the table of pairs and the options
are shared with the kernel.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from math import floor
from typing import NamedTuple

from unknot.network import Network
from unknot.routing.relation import Relation
from unknot.simulation.engine.codes import HONOURING
from unknot.simulation.engine.pairs import Pairs
from unknot.simulation.engine.router import Router
from unknot.simulation.engine.sources import streams
from unknot.traffic.workload import Bursts

from .sim_allocators import in_turn, islip, loa, max_size, pim, separable_input_first, wavefront
from .sim_choices import Choices
from .sim_parts import Entry, Flit, InputVC, Node, OutputVC, Packet, Port, Wire
from .sim_terminals import Generator, Terminal, Workload, scramble

PLAIN = Router()
STEP = 0x9E3779B97F4A7C15
Requests = dict[InputVC, list[OutputVC]]


class Sending(NamedTuple):
    """A flit that won the switch; `delay` cycles it takes to leave its buffer."""

    into: Entry
    vc: InputVC
    port: Port
    delay: int


def ways_of(network: Network) -> list[int | None]:
    """Direction of each channel of a grid: twice the dimension, and one more where it leads down; else None."""
    directions = []
    for a, b in zip(network.source, network.target, strict=True):
        steps = [] if network.coordinates is None else (network.coordinates[b] - network.coordinates[a]).tolist()
        moved = [d for d, step in enumerate(steps) if step]
        side = network.radices[moved[0]] if len(moved) == 1 else 0
        step = steps[moved[0]] if moved else 0
        if len(moved) != 1 or abs(step) not in (1, side - 1):
            return [None] * network.num_channels
        directions.append(2 * moved[0] + ((step < 0) != (abs(step) > 1)))
    return directions


class Simulator(Choices):
    def __init__(
        self,
        relation: Relation,
        switching: str,
        *,
        length: int | Mapping[int, float],
        depth: int,
        chance: float,
        seed: int,
        pairs: Pairs,
        router: Router = PLAIN,
        bursts: Bursts | None = None,
    ) -> None:
        network, self.relation, self.switching = relation.network, relation, switching
        self.candidates = cache(relation.candidates)  # a rule always gives the same answer
        self.options, self.workload = router, Workload(relation, pairs, chance, length, bursts)
        self.select = scramble(seed + 0x5851F42D4C957F2D)
        self.now = self.tick = self.flit_hops = self.flits_in = self.flits_out = self.created = 0
        self.arrived: list[tuple[int, int, int]] = []
        self.routers = [Node() for _ in range(network.num_routers)]
        self.output: dict[int, OutputVC] = {}
        self.input: list[InputVC] = []
        self.ejection: dict[int, list[OutputVC]] = {}
        self.terminals: list[Terminal] = []
        self.sinks: list[Wire] = []
        local = relation.vcs.widest
        directions = ways_of(network)
        for c in range(network.num_channels):
            latency = int(network.latency[c])
            flits, returned = Wire(latency), Wire(latency)
            numbers = range(int(relation.vcs.first[c]), int(relation.vcs.first[c + 1]))
            ends = self.ends(depth, len(numbers))
            buffers = [InputVC(v, v) for v in numbers]
            self.output.update(zip(numbers, ends, strict=True))
            self.input += buffers
            rate = Fraction(float(network.bandwidth[c])).limit_denominator(1000)
            self.routers[network.source[c]].outputs.append(Port(ends, flits, returned, rate=rate, way=directions[c]))
            ends_at = int(network.source[c]), int(network.target[c])
            there = [d for d in range(c) if (network.source[d], network.target[d]) == ends_at]
            back = [d for d in range(network.num_channels) if (network.target[d], network.source[d]) == ends_at]
            place = (0, back[len(there)]) if len(there) < len(back) else (1, c)
            way = None if directions[c] is None else directions[c] ^ 1
            self.routers[network.target[c]].inputs.append(Port(buffers, flits, returned, place=place, way=way))
        for t, start in enumerate(streams(seed, network.num_terminals)):
            flits, returned = Wire(1), Wire(1)
            injection = self.ends(depth, local)
            first, place = relation.num_vcs + t * local, relation.num_vcs + t
            buffers = [InputVC(first + i, place) for i in range(local)]
            self.terminals.append(Terminal(t, Generator(start), injection, flits, returned, last=-1))
            self.workload.begin(self.terminals[t])
            self.routers[network.inject[t]].inputs.append(
                Port(buffers, flits, returned, place=(-1 if router.terminals_first else 2, t))
            )
            self.ejection[t] = self.ends(depth, local, endless=not router.ejection_credits)
            sink = Wire(1)
            self.sinks.append(sink)
        seats = network.num_terminals // router.terminal_width
        for t in sorted(range(network.num_terminals), key=lambda t: t % seats):
            port = Port(self.ejection[t], self.sinks[t], Wire(1), ejects=True)
            self.routers[network.eject[t]].outputs.append(port)
        for t in range(seats):
            ports = [self.ejection[port] for port in range(t, network.num_terminals, seats)]
            self.ejection[t] = [vc for turn in zip(*ports, strict=True) for vc in turn]
        for node in self.routers:
            node.ways = {way for way in directions if way is not None and network.radices[way // 2] > 2}
            if router.terminals_first:
                node.inputs.sort(key=lambda port: port.place[0] != -1)
                node.outputs.sort(key=lambda port: not port.ejects)
            node.divide(router.input_speedup, router.output_speedup)
            for port in node.inputs:
                for index, vc in enumerate(port.vcs):
                    vc.index = index
        self.most_queued = float("inf") if router.ejection_credits else local * depth
        rows = [0, 0]
        for r, node in enumerate(self.routers):
            node.first_rows = tuple(rows)
            rows[0] += sum(len(port.vcs) for port in node.inputs)
            rows[1] += sum(len(port.vcs) for port in node.outputs) + local * int((network.inject == r).sum())

    def ends(self, depth: int, vcs: int, endless: bool = False) -> list[OutputVC]:
        own = self.options.own_slots or depth
        most = self.options.most_slots or float("inf")
        outputs = [OutputVC(own, own, endless, shared=depth - own, most=most - own) for _ in range(vcs)]
        for end in outputs:
            end.siblings = outputs
        return outputs

    def run(self, cycles: int) -> None:
        for _ in range(cycles):
            self.read()
            for terminal in self.terminals:
                self.create(terminal)
                self.inject(terminal)
            speed = round(self.options.internal_speedup * 2**20)
            steps = (self.now + 1) * speed // 2**20 - self.now * speed // 2**20
            for step in range(steps):
                self.work(step == steps - 1)
            self.now += 1

    def work(self, final: bool) -> None:
        """All stages of all routers once; stages count these steps, which are the cycles without speedup."""
        decisions = []
        for node in self.routers:
            if not any(vc.queue for port in node.inputs for vc in port.vcs) and not any(
                e.holder for e in node.entries
            ):
                continue
            requested = self.requested(node)
            allocated = self.match_vcs(node, requested)
            decisions.append((node, allocated, self.match_ports(node, requested, allocated)))
        for node, allocated, sends in decisions:
            self.update(node, allocated, sends, final)
        self.tick += 1

    def finish(self) -> list[tuple[int, int, int]]:
        """Arrived packets as (latency, network latency, hops), those on their last wire included."""
        arrived = list(self.arrived)
        for sink in self.sinks:
            arrived += [self.record(flit.packet, cycle) for cycle, (_, flit) in sink.on_the_way() if flit.tail]
        return sorted(arrived)

    def record(self, packet: Packet, cycle: int) -> tuple[int, int, int]:
        return cycle - packet.created, cycle - packet.injected, packet.hops

    def read(self) -> None:
        for node in self.routers:
            for port in node.inputs:
                for index, flit in port.flits.read(self.now):
                    vc = port.vcs[index]
                    vc.queue.append(flit)
                    if len(vc.queue) == 1 and flit.head:
                        vc.routing_from = max(self.tick, vc.idle_from) + self.options.routing_delay
                        node.to_route.append(vc)
            for port in node.outputs:
                for index in port.credits.read(self.now):
                    port.vcs[index].credits += 1
        for terminal in self.terminals:
            for index in terminal.credits.read(self.now):
                terminal.injection[index].credits += 1
        for node in self.routers if not (self.options.pipelined or self.options.queues) else ():
            self.begin_routing(node)
        for sink in self.sinks:
            for index, flit in sink.read(self.now):
                if flit.tail:
                    self.arrived.append(self.record(flit.packet, self.now))
                if self.options.ejection_credits:
                    returned = next(p for n in self.routers for p in n.outputs if p.flits is sink).credits
                    returned.put(self.now + self.options.credit_delay, index)

    def begin_routing(self, node: Node) -> None:
        """All headers that wait to be routed begin when none is being routed."""
        if self.now < node.routing_until:
            for vc in node.to_route:
                vc.routing_from = self.now + 10**6
        elif node.to_route:
            node.routing_until = self.now + self.options.routing_delay
            for vc in node.to_route:
                vc.routing_from = node.routing_until
            node.to_route = []

    def create(self, terminal: Terminal) -> None:
        before = terminal.packet
        self.workload.create(terminal, self.now)
        self.created += terminal.packet is not before

    def inject(self, terminal: Terminal) -> None:
        packet = terminal.packet
        if packet is None:
            return
        if terminal.vc is None:
            many = len(terminal.injection)
            for i in range(1, many + 1):
                index = (terminal.last + i) % many
                vc = terminal.injection[index]
                if vc.has_credit and vc.free_for(packet.length, self.switching):
                    terminal.vc = terminal.last = index
                    packet.injected = self.now
                    if self.relation.decides:
                        if not self.options.routing_delay:
                            self.decide(packet)
                    elif self.relation.direct is not None:
                        self.compare(packet)
                    break
        if terminal.vc is None or not terminal.injection[terminal.vc].has_credit:
            return
        terminal.injection[terminal.vc].credits -= 1
        terminal.flits.put(self.now, (terminal.vc, Flit(packet, terminal.sent)))
        terminal.sent += 1
        self.flits_in += 1
        if terminal.sent == packet.length:
            terminal.packet = terminal.vc = None

    def allocate(
        self, node: Node, kind: str, requests: dict, grant: list[int], accept: list[int]
    ) -> list[list[tuple[int, int]]]:
        """Matched pairs, round by round; of the first round alone pointers move on."""
        if kind not in HONOURING:
            requests = dict.fromkeys(requests, 0)
        if kind in ("islip", "select", "separable_input_first"):
            arbiter = (None if node.of_vcs else self.options.switch_arbiter) or self.options.arbiter
            matrix = arbiter == "matrix" and kind != "islip"
            by_input = node.order(True, len(grant)) if matrix else in_turn(accept, len(grant))
            by_output = node.order(False, len(accept)) if matrix else in_turn(grant, len(accept))
            if kind == "separable_input_first":
                matched = separable_input_first(requests, by_output, by_input)
            else:
                matched = islip(requests, by_output, by_input, self.iterations(node))
            for i, o in matched[0] if matrix else ():
                node.chosen(i, o)
            return matched
        return [[], self.look_at_all(node, kind, requests, grant, accept)] if requests else [[], []]

    def iterations(self, node: Node) -> int:
        return (None if node.of_vcs else self.options.switch_iterations) or self.options.iterations

    def look_at_all(
        self, node: Node, kind: str, requests: dict, grant: list[int], accept: list[int]
    ) -> list[tuple[int, int]]:
        inputs, tag = len(accept), 0 if node.of_vcs else 1 << 20
        ports = [p for p in node.inputs for _ in p.vcs] if node.of_vcs else [entry.port for entry in node.entries]

        def start(number: int, of_input: bool, end: int) -> int:
            row = node.first_rows[0 if of_input else 1] + end
            word = self.select ^ ((self.now << 32) + row)
            return scramble(word + STEP * (2 * number + 2 + of_input + tag)) >> 11

        order = sorted(range(inputs), key=lambda i: (ports[i].place, i))
        # In wavefront allocation ports at the edges of a grid that lead nowhere have numbers too.
        local, first = self.relation.vcs.widest, self.options.terminals_first
        widths = (local, local) if node.of_vcs else (self.options.input_speedup, self.options.output_speedup)
        width_in, width_out = widths if kind.endswith("wavefront") else (0, 0)
        outs = [p for p in node.outputs for _ in (p.vcs if node.of_vcs else p.turns)]
        into = {k + width_in * node.absent(ports[i], first): i for k, i in enumerate(order)}
        out = {o + width_out * node.absent(port, first): o for o, port in enumerate(outs)}
        number, number_out = {i: k for k, i in into.items()}, {o: k for k, o in out.items()}
        requests = {(number[i], number_out[o]): age for (i, o), age in requests.items()}
        accept = [accept[i] for i in order] + [0] * width_in * node.absent(None, first)
        matched = self.matched(
            node, kind, requests, grant + [0] * width_out * node.absent(None, first), accept, start
        )
        return [(into[i], out[o]) for i, o in matched]

    def matched(
        self, node: Node, kind: str, requests: dict, grant: list[int], accept: list[int], start
    ) -> list[tuple[int, int]]:
        inputs, outputs = len(accept), len(grant)
        if kind == "pim":
            return pim(requests, inputs, outputs, self.iterations(node), start)
        if kind == "loa":
            return loa(requests, grant, accept)
        turn = node.whole_turn[node.of_vcs]
        if kind == "max_size":
            node.whole_turn[node.of_vcs] = (turn + 1) % inputs
            return max_size(requests, inputs, turn)
        matched, first = wavefront(requests, inputs, outputs, turn)
        after = first if kind == "rr_wavefront" else turn
        node.whole_turn[node.of_vcs] = (after + 1) % max(inputs, outputs)
        return matched

    def age(self, vc: InputVC) -> int:
        """What counts for the packet in front, the smallest first."""
        if self.options.priority == "none":
            return 0
        packets = [flit.packet for flit in vc.queue]
        if not self.options.donate_priority:
            packets = packets[:1]
        ages = {"age": min(p.created for p in packets), "class": -max(p.priority for p in packets)}
        return ages[self.options.priority]

    def is_filled(self, out: OutputVC) -> bool:
        return not out.endless and out.credits < out.depth

    def is_open(self, port: Port) -> bool:
        """Whether there is room behind the switch."""
        limit = self.options.output_buffer
        return not limit or port.waiting(self.tick, self.now) < limit

    def requested(self, node: Node) -> Requests:
        """The output VCs that headers request in this cycle."""
        heads = [vc for port in node.inputs for vc in port.vcs if vc.queue and vc.out is None]
        return {vc: self.requests_of(node, vc) for vc in heads if vc.routing_from <= self.tick}

    def match_vcs(self, node: Node, requested: Requests) -> list[tuple[InputVC, OutputVC]]:
        if not any(requested.values()):
            return []
        inputs = [vc for port in node.inputs for vc in port.vcs]
        outputs = node.output_vcs(self.options.terminal_width)
        requests = {
            (inputs.index(vc), outputs.index(o)): (
                self.age(vc),
                self.options.empty_first and self.is_filled(o),
                self.options.all_tiers and o in vc.lesser,
            )
            for vc, outs in requested.items()
            for o in outs
        }
        node.of_vcs, kind = True, self.options.allocator
        rounds = self.allocate(node, kind, requests, [v.grant for v in outputs], [v.accept for v in inputs])
        for i, o in rounds[0]:
            outputs[o].grant, inputs[i].accept = (i + 1) % len(inputs), (o + 1) % len(outputs)
        for i, o in rounds[1] if kind == "loa" else ():
            outputs[o].grant = (outputs[o].grant + 1) % len(inputs)
            inputs[i].accept = (inputs[i].accept + 1) % len(outputs)
        return [(inputs[i], outputs[o]) for won in rounds for i, o in won]

    def match_ports(
        self, node: Node, requested: Requests, allocated: list[tuple[InputVC, OutputVC]]
    ) -> list[Sending]:
        """Those that hold the switch, then those that had an output VC before and those that speculate."""
        options, sends = self.options, self.keep_on(node)
        ready = {
            v: [v.out] for port in node.inputs for v in port.vcs if v.out and v.active_from <= self.tick and v.queue
        }
        speculating = requested if options.speculative else {}
        late, got = max(options.vc_allocation_delay, options.switch_allocation_delay), dict(allocated)
        for into, vc, port in self.arbitrate(node, ready, speculating, sends):
            if vc in ready:
                sends.append(Sending(into, vc, port, options.switch_allocation_delay))
            elif vc in got and got[vc] in port.vcs and got[vc].has_credit:
                sends.append(Sending(into, vc, port, late))
        if options.queues:
            inputs = [vc for port in node.inputs for vc in port.vcs]
            sends.sort(key=lambda sending: inputs.index(sending.vc))
        return sends

    def keep_on(self, node: Node) -> list[Sending]:
        """Flits of held ports; a holder that may send and cannot lets go, but keeps both ports in this step."""
        sends = []
        node.let_go = set()
        for into in node.entries:
            vc = into.holder
            if vc is None or self.tick < vc.active_from:
                continue
            port = node.outputs[node.exit(vc.out)]
            if vc.queue and vc.out.has_credit and self.is_open(port):
                sends.append(Sending(into, vc, port, self.options.switch_allocation_delay))
            else:
                into.holder = port.holder = None
                node.let_go |= {into, port}
        return sends

    def arbitrate(
        self, node: Node, ready: Requests, speculating: Requests, sends: list[Sending]
    ) -> list[tuple[Entry, InputVC, Port]]:
        """The switch is matched to those that are ready for it or speculate, each asking for one output port or more.

        Ports that send already, or are held, do not care. Of the VCs of an input port that ask for the same output
        port the one put forward is ready if any is; separable allocators also prefer those that are.
        """
        if not ready and not speculating:
            return []
        busy: set = {port for sending in sends for port in (sending.into, sending.port)}
        busy |= node.let_go | {port for port in node.entries + node.outputs if port.holder}
        if self.options.queues:
            busy |= {p for p in node.outputs if p.ejects and p.free_from + 1 - self.now > self.most_queued}
        if self.options.output_buffer:
            busy |= {p for p in node.outputs if not self.is_open(p)}
        parts = self.options.output_speedup
        ranks: dict[tuple[int, int], tuple[bool, int]] = {}
        chosen: dict[tuple[int, int], int] = {}
        for i, into in enumerate(node.entries):
            part = sorted(port.place for port in node.inputs).index(into.port.place) % parts
            for k in range(len(into.vcs)):
                index = (into.next_vc + k) % len(into.vcs)
                vc = into.vcs[index]
                if vc not in ready and vc not in speculating:
                    continue
                outs = ready.get(vc, []) + speculating.get(vc, [])
                for o in {node.exit(out) for out in outs if out.has_credit}:
                    if into in busy or node.outputs[o] in busy:
                        continue
                    rank, pair = (vc in speculating, self.age(vc)), (i, o * parts + part)
                    if pair not in ranks or rank < ranks[pair]:
                        ranks[pair], chosen[pair] = rank, index
        node.of_vcs, kind = False, self.options.switch_allocator or self.options.allocator
        exits = [turn for port in node.outputs for turn in port.turns]
        rounds = self.allocate(node, kind, ranks, exits, [entry.turn for entry in node.entries])
        for i, o in rounds[1] if kind == "loa" else ():
            turns = node.outputs[o // parts].turns
            turns[o % parts] = (turns[o % parts] + 1) % len(node.entries)
            node.entries[i].turn = (node.entries[i].turn + 1) % len(exits)
        for i, o in rounds[0]:
            node.outputs[o // parts].turns[o % parts] = (i + 1) % len(node.entries)
            node.entries[i].turn = (o + 1) % len(exits)
        won = []
        for i, o in (pair for matched in rounds for pair in matched):
            into, index = node.entries[i], chosen[i, o]
            into.next_vc = (index + 1) % len(into.vcs)
            won.append((into, into.vcs[index], node.outputs[o // parts]))
        return won

    def update(
        self, node: Node, allocated: list[tuple[InputVC, OutputVC]], sends: list[Sending], final: bool
    ) -> None:
        for vc, out in allocated:
            vc.out, out.owner, vc.active_from = out, vc, self.tick + self.options.vc_allocation_delay
        for into, vc, port, delay in sends:
            if self.options.own_slots and not vc.out.has_credit:
                continue  # another took the last slot that is shared
            flit, out = vc.queue.popleft(), vc.out
            vc.active_from = self.tick + delay
            leaves = self.now + delay - 1
            crossed, back = leaves + self.options.traversal_delay, leaves
            over = self.tick + 1
            if not self.options.pipelined:
                crossed = self.crossed(node)
                over = node.crossing_until
            elif self.options.queues:
                # A step before the last one of a cycle is followed by another, in which the flit crosses.
                crossed -= not final
                if self.options.traversal_delay > 1:
                    over = crossed * round(self.options.internal_speedup * 2**20) // 2**20
            if self.options.queues or not self.options.pipelined or port.rate != 1:
                crossed = max(crossed, floor(port.free_from))
                port.free_from = max(port.free_from, Fraction(crossed)) + 1 / port.rate
                port.behind.append((over, crossed))
            if self.options.queues:
                # Those of a step leave together.
                if into.port.credit_tick != self.tick:
                    into.port.credits_from = max(back, into.port.credits_from) + 1
                    into.port.credit_tick = self.tick
                back = into.port.credits_from - 1
            self.flit_hops += 1
            flit.packet.hops += flit.head and not port.ejects
            from_terminal = into.port.place[0] in (-1, 2)
            into.port.credits.put(back + (not from_terminal) * self.options.credit_delay, into.port.vcs.index(vc))
            self.flits_out += port.ejects
            out.credits -= not out.endless
            port.flits.put(crossed, (port.vcs.index(out), flit))
            into.holder = port.holder = vc if self.options.hold_switch and vc.queue and not flit.tail else None
            if flit.tail:
                out.owner = vc.out = vc.committed = None
                vc.blocked = False
                vc.idle_from = self.tick + delay
                vc.routing_from = vc.idle_from + self.options.routing_delay
                if vc.queue:
                    node.to_route.append(vc)

    def crossed(self, node: Node) -> int:
        """The last cycle in the switch of a flit that won it now: all that wait begin when none is crossing."""
        if self.tick >= node.crossing_from:
            node.crossing_from = max(self.tick, node.crossing_until) + 1
            cycle, speed = self.now, round(self.options.internal_speedup * 2**20)
            while (cycle + 1) * speed // 2**20 <= node.crossing_from:
                cycle += 1
            node.crossed, node.crossing_until = cycle + self.options.traversal_delay - 1, node.crossing_from
            if self.options.traversal_delay > 1:
                node.crossing_until = node.crossed * speed // 2**20
        return node.crossed
