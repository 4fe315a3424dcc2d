"""The plain simulator with traffic classes: several sources of a terminal, and replies to what arrives."""

from __future__ import annotations

from collections import deque

from unknot.routing.relation import Relation
from unknot.simulation.engine.mix import Mix
from unknot.simulation.engine.router import Router
from unknot.simulation.engine.sources import streams
from unknot.traffic.workload import Message

from .sim_parts import Flit, Packet
from .sim_terminals import Generator, Terminal, Workload
from .simulator import PLAIN, Simulator


class Source(Terminal):
    """One class of one terminal; `replies` are requests that arrived there, with the cycle."""

    workload: Workload
    kind: int
    replies: deque[tuple[int, Packet]]


class ClassSimulator(Simulator):
    def __init__(
        self, relation: Relation, switching: str, mix: Mix, *, depth: int, seed: int, router: Router = PLAIN
    ) -> None:
        super().__init__(
            relation,
            switching,
            length=1,
            depth=depth,
            chance=0.0,
            seed=seed,
            pairs=mix.sources[0].pairs,
            router=router,
        )
        self.mix, self.form_of = mix, {}
        many = len(self.terminals)
        starts = iter(streams(seed, len(mix.classes) * many))
        self.sources: list[list[Source]] = [[] for _ in self.terminals]
        for k, one in enumerate(mix.sources):
            workload = Workload(relation, one.pairs, one.chance, 1, one.bursts)
            for terminal in self.terminals:
                ends = (terminal.injection, terminal.flits, terminal.credits)
                source = Source(terminal.number, Generator(next(starts)), *ends, last=-1)
                source.workload, source.kind, source.replies = workload, k, deque()
                workload.begin(source)
                self.sources[terminal.number].append(source)
        self.nodes = many // mix.subnets
        self.first_home = many - self.nodes
        self.turn, self.done = [0] * many, []
        self.block = relation.num_addresses // max(1, len(relation.classes))

    def port(self, source: Source) -> Source:
        """Where the packet of a source is injected: at the terminal of its subnet."""
        subnet = self.form_of[id(source.packet)][4]
        return self.sources[source.number - self.first_home + subnet * self.nodes][source.kind]

    def draw_address(self, source: Source) -> int:
        pairs, node = source.workload.pairs, source.number - self.first_home
        if self.mix.subnets == 1 or pairs.everyone < 0:
            return source.workload.address(source)
        choices = [other for other in range(self.nodes) if pairs.everyone or other != node]
        return choices[source.random.draw() % len(choices)]

    def place(self, name: str, otherwise: int, vcs: tuple[int, int] | None) -> tuple[int, range]:
        """First address of a message class, and the injection VCs it may take."""
        classes, local = self.relation.classes, self.relation.vcs.widest
        at = classes.index(name) if name else otherwise
        each = local // max(1, len(classes))
        return at * self.block, range(vcs[0], vcs[1] + 1) if vcs else range(at * each, (at + 1) * each)

    def create(self, terminal: Terminal) -> None:
        for source in self.sources[terminal.number] if terminal.number >= self.first_home else ():
            self.fill(source)

    def fill(self, source: Source) -> None:
        """A reply, if one arrived before this cycle; else draw for one cycle after the other."""
        if source.packet or source.drawn > self.now:
            return
        if source.replies and source.replies[0][0] < self.now:
            arrived, request = source.replies.popleft()
            self.answer(source, arrived, request)
            return
        one, work = self.mix.classes[source.kind], source.workload
        while source.packet is None and source.drawn <= self.now:
            if work.threshold[source.number] and work.wants_to_send(source):
                address, forms = self.draw_address(source), one.forms
                total, x, k = sum(form.share for form in forms), -1, 0
                if len(forms) > 1:
                    x = source.random.draw()
                while k < len(forms) - 1 and x >= round(2**53 * sum(f.share for f in forms[: k + 1]) / total):
                    k += 1
                form = forms[k]
                shift, vcs = self.place(form.kind, 0, form.vcs)
                address += shift + form.subnet * self.nodes
                self.put(source, Packet(address, form.flits, source.drawn, source.number), form, vcs, form.subnet)
                self.created += 1
            source.drawn += 1

    def put(self, source: Source, packet: Packet, form: Message | None, vcs: range, subnet: int) -> None:
        packet.priority = self.mix.classes[source.kind].priority
        self.form_of[id(packet)] = packet, source.kind, form, vcs, subnet
        source.packet, source.sent = packet, 0

    def answer(self, source: Source, arrived: int, request: Packet) -> None:
        form = self.form_of[id(request)][2]
        usable = [
            a
            for a in range(self.block)
            if self.relation.destination[a] == request.source - self.first_home
            and (self.relation.may_use is None or self.relation.may_use[source.number, a])
        ]
        address = usable[source.random.draw() % len(usable)] if len(usable) > 1 else usable[0]
        shift, vcs = self.place(form.reply_kind, max(0, len(self.relation.classes) - 1), form.reply_vcs)
        address += shift + form.reply_subnet * self.nodes
        self.put(source, Packet(address, form.reply, arrived, source.number), None, vcs, form.reply_subnet)

    def read(self) -> None:
        before = {sink: list(sink.items.get(self.now, ())) for sink in self.sinks}
        super().read()
        for sink, flits in before.items():
            for _, flit in flits:
                _, kind, form, *_ = self.form_of[id(flit.packet)]
                if flit.tail:
                    self.done.append((flit.packet, self.now))
                if flit.tail and form and form.reply:
                    home = self.first_home + self.sinks.index(sink) % self.nodes
                    self.sources[home][kind].replies.append((self.now, flit.packet))

    def way_in(self, source: Source) -> int | None:
        """The injection VC into which it can send a flit now."""
        packet, port = source.packet, self.port(source)
        if source.vc is not None:
            return source.vc if port.injection[source.vc].has_credit else None
        vcs = self.form_of[id(packet)][3]
        start = vcs.index(port.last) + 1 if port.last in vcs else 0
        alone = self.options.first_alone and port.last not in vcs
        for i in range(1 if alone else len(vcs)):
            index = vcs[(start + i) % len(vcs)]
            vc = port.injection[index]
            others = [other for other in self.sources[source.number] if other.vc is not None]
            taken = any(other.vc == index and self.port(other).injection is port.injection for other in others)
            if not taken and vc.has_credit and vc.free_for(packet.length, self.switching):
                return index
        return None

    def rank(self, packet: Packet) -> int:
        return {"none": 0, "age": -packet.created, "class": packet.priority}[self.options.priority]

    def inject(self, terminal: Terminal) -> None:
        sources, t = self.sources[terminal.number], terminal.number
        for subnet in range(self.mix.subnets) if t >= self.first_home else ():
            here = {k: s for k, s in enumerate(sources) if s.packet and self.form_of[id(s.packet)][4] == subnet}
            self.inject_into(t - self.first_home + subnet * self.nodes, here)

    def inject_into(self, t: int, sources: dict[int, Source]) -> None:
        """A flit of one of these sources, at injection port t."""
        best, vc_of = None, {k: self.way_in(s) for k, s in sources.items()}
        able = [k for k, way in vc_of.items() if way is not None]
        in_turn = sorted(able, key=lambda k: (k - self.turn[t] - 1) % len(self.mix.classes))
        if self.options.hold_switch and self.turn[t] in able and sources[self.turn[t]].vc is not None:
            in_turn.sort(key=lambda k: k != self.turn[t])
        if not in_turn:
            return
        best = max(in_turn, key=lambda k: self.rank(sources[k].packet))
        source, index = sources[best], vc_of[best]
        port = self.port(source)
        if source.vc is None:
            source.vc = port.last = index
            source.packet.injected = self.now
            if self.relation.decides and not self.options.routing_delay and self.mix.subnets == 1:
                self.decide(source.packet)
        port.injection[index].credits -= 1
        port.flits.put(self.now, (index, Flit(source.packet, source.sent)))
        source.sent += 1
        self.flits_in += 1
        self.turn[t] = best
        if source.sent == source.packet.length:
            source.packet = source.vc = None

    def all_done(self) -> list[tuple[Packet, int]]:
        """Packets that arrived, those on their last wire included."""
        return self.done + [
            (flit.packet, cycle) for sink in self.sinks for cycle, (_, flit) in sink.on_the_way() if flit.tail
        ]

    def summary(self) -> list[list[int]]:
        """Of each class: packets that arrived, sums of latency, network latency and hops, and flits."""
        sums_of = [[0] * 5 for _ in self.mix.classes]
        for packet, cycle in self.all_done():
            row = sums_of[self.form_of[id(packet)][1]]
            sums = (1, cycle - packet.created, cycle - packet.injected, packet.hops, packet.length)
            row[:] = [a + b for a, b in zip(row, sums, strict=True)]
        return sums_of

    def promised(self) -> int:
        """Replies that are to be sent, or were."""
        forms = [self.form_of[id(packet)][2] for packet, _ in self.all_done()]
        return sum(form is not None and form.reply > 0 for form in forms)
