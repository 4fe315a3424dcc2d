"""One search of the library for channels: steps from GPU to GPU, and back to the NIC or the first GPU."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from unknot_collectives.nccl.bandwidth import give, take
from unknot_collectives.nccl.graph import BALANCED, DIRECT, NVLS, RING, SPLIT, TREE, TREES, LibraryGraph
from unknot_collectives.nccl.parts import DIS, PCI, Device, GpuMachine, Link, Path

STEPS, STEPS_ALIKE, STEPS_IN_ORDER = 1 << 14, 1 << 8, 1 << 10
"""Steps of one search, of one for channels that are alike, and of the first one in the order of PCIe."""
FREE, BY_PCI, AGAIN = range(3)
"""Order of GPUs: the best first, that of PCIe, that of the channel before."""


class ChannelSearch:
    """State of a search.

    Attributes
    ----------
    best : LibraryGraph
        The best channels so far.
    time : int
        Steps left; -1: nothing better can be found.
    """

    def __init__(
        self, system: GpuMachine, graph: LibraryGraph, best: LibraryGraph, least: int, most: int, *, collnet: bool
    ) -> None:
        self.system, self.graph, self.best = system, graph, best
        self.least, self.most, self.collnet = least, most, collnet
        self.time = STEPS_ALIKE if graph.alike else STEPS
        self.gpus, self.nets, self.pattern = system.gpus, system.nets, graph.pattern
        self.count, self.hops = len(self.gpus), graph.hops
        self.intra, self.inter = int(graph.intra * 1000), int(graph.inter * 1000)
        self.done, self.ports, self.used = list[list[Device]](), list[list[Device]](), list[set[Device]]()
        self.left = {net: int(Fraction(net.facts["speed"]) / 8) for net in self.nets}
        last, inside = self.count - 1, self.pattern == RING
        self.to_net = (last if inside else int(self.pattern == SPLIT)) if system.inter else -1
        self.to_first = last if inside and not system.inter else -1
        self.switch = next(iter(system.nodes["nvs"]), None)
        self.scores = dict[tuple[Device, Device | None], list[tuple[tuple[int, ...], Device, tuple[Link, Link]]]]()
        self.card = {net: (net.facts.get("guid") or net.name, net.number("port")) for net in self.nets}
        self.leaving = {gpu: system.nets_to_try(graph.type_inter, [gpu]) for gpu in self.gpus}
        self.entering = system.nets_to_try(graph.type_inter, self.gpus)
        self.first = {net: system.gpu_of(net) for net in self.nets} if system.inter else {}

    def run(self) -> LibraryGraph:
        """Search, and return the best channels; each step of each channel is a few calls deep."""
        deep = sys.getrecursionlimit()
        sys.setrecursionlimit(deep + 4 * (self.most + 1) * (self.count + 4))
        try:
            self.more()
        finally:
            sys.setrecursionlimit(deep)
        return self.best

    def more(self) -> None:
        """Look for one more channel."""
        if self.system.inter:
            self.from_nets()
        elif self.pattern == NVLS:
            self.begin(None, self.gpus[len(self.done)])
        else:
            first = self.done[-1][0] if self.done else self.gpus[0]
            self.begin(None, first, AGAIN if self.done else BY_PCI)
            if not self.graph.alike or not self.done:
                for gpu in self.gpus:
                    self.begin(None, gpu)

    def begin(self, net: Device | None, gpu: Device, order: int = FREE) -> None:
        """Look for a channel from a NIC, if any, and a GPU on."""
        self.done.append([])
        self.used.append(set())
        self.step_to(net, gpu, 0, order, self.to_net)
        self.done.pop()
        self.used.pop()

    def take(self, start: Device, end: Device, share: Fraction | int = 1, *, inter: int | None = None) -> int | None:
        """Take the bandwidth of a channel on a path; None: a link has too little, or the path is too far.

        What is returned gives the bandwidth back. As in the library, a share of a channel may go far.
        """
        within, graph, path = start.kind != "net" != end.kind, self.graph, start.paths[end]
        if path.kind >= DIS:
            return None
        if share == 1:
            limit = graph.type_intra if within else graph.type_inter
            if path.kind > limit or (self.pattern in TREES and end.paths[start].kind > limit):
                return None
        amount = self.intra if within else self.inter if inter is None else inter
        if share != 1:
            amount = int(amount * share)
        if not take(path, amount):
            return None
        self.hops = int(self.hops + share * path.hops)
        return amount

    def give(self, path: Path, amount: int, share: Fraction | int = 1) -> None:
        """Give bandwidth back, and the hops of the path."""
        self.hops = int(self.hops - share * path.hops)
        give(path, amount)

    def step_to(self, start: Device | None, gpu: Device, step: int, order: int, to_net: int) -> None:
        """Go on to a GPU, if a channel fits on the way."""
        taken = None
        if start is not None and (taken := self.take(start, gpu)) is None:
            return
        self.used[-1].add(gpu)
        self.at(gpu, step, order, to_net)
        self.used[-1].discard(gpu)
        if taken is not None and start is not None:
            self.give(start.paths[gpu], taken)

    def at(self, gpu: Device, step: int, order: int, to_net: int) -> None:
        """Continue a channel that has come to a GPU."""
        if self.time <= 0:
            return
        self.time -= 1
        channel = self.done[-1]
        if len(channel) == step:
            channel.append(gpu)
        if step == to_net and self.system.inter:
            self.leave(gpu, step, order)
        elif self.pattern == NVLS:
            self.by_switch(gpu)
        elif self.pattern == DIRECT:
            self.by_pairs(gpu)
        elif step < self.count - 1:
            for other in self.following(gpu, step, order, to_net):
                self.step_to(gpu, other, step + 1, order, to_net)
        elif step == self.to_first:
            first = channel[0]
            if (taken := self.take(gpu, first)) is not None:
                self.finish()
                self.give(gpu.paths[first], taken)
        else:
            self.finish()
        del channel[step:]

    def finish(self) -> None:
        """Compare the channels with the best ones, and look for one more."""
        if self.time <= 0:
            return
        self.time -= 1
        if self.is_better():
            channels = tuple(tuple(gpu.number("rank") for gpu in one) for one in self.done)
            self.best = replace(
                self.graph, hops=self.hops, channels=channels,
                ports=tuple((a.number("dev"), b.number("dev")) for a, b in self.ports),
                latency=float(self.ports[-1][0].facts.get("latency") or 0) if self.ports else 0.0,
            )  # fmt: skip
            if len(self.done) == self.most:
                self.time = -1
        if len(self.done) < self.most:
            self.more()

    def is_better(self) -> bool:
        graph, best, count, before = self.graph, self.best, len(self.done), len(self.best.channels)
        if count < self.least:
            return False
        if self.pattern == NVLS:
            return before < count <= self.count or count * graph.inter > before * best.inter
        if count * graph.intra != before * best.intra:
            return count * graph.intra > before * best.intra
        alike = (graph.pattern, graph.cross_nic) == (best.pattern, best.cross_nic)
        return alike and self.hops < best.hops

    def following(self, gpu: Device, step: int, order: int, to_net: int) -> list[Device]:
        """GPUs to try next, the best first; beside a switch neighbours by number alone."""
        if order == BY_PCI:
            return [self.gpus[step + 1]]
        if order == AGAIN:
            return [self.done[-2][step + 1]]
        used, net = self.used[-1], None if to_net == -1 else self.ports[-1][0]
        if self.switch is not None:
            at = self.gpus.index(gpu)
            before, after = self.gpus[at - 1], self.gpus[(at + 1) % self.count]
            wanted = {RING: [before, after], BALANCED: [after, before], SPLIT: [after, before]}
            return [one for one in dict.fromkeys(wanted.get(self.pattern, [after])) if one not in used]
        if (gpu, net) not in self.scores:
            self.scores[gpu, net] = sorted(self.scored(gpu, net), key=lambda one: one[0])
        left = [one for one in self.scores[gpu, net] if one[1] not in used]
        if net is None:
            return [other for _, other, _ in left]
        rates = [min(down.left, up.left) // 1000 for *_, (down, up) in left]
        if len(set(rates)) > 1:
            pairs = sorted(zip(left, rates, strict=True), key=lambda one: (one[0][0][0], -one[1], *one[0][0][1:]))
            left = [one for one, _ in pairs]
        following = [other for _, other, _ in left]
        if to_net != step + 1 and len({key[2:4] for key, *_ in left}) == 1:
            following.reverse()
        return following

    def scored(self, gpu: Device, net: Device | None) -> Iterator[tuple[tuple[int, ...], Device, tuple[Link, Link]]]:
        """Other GPUs with what decides their order, and their links of PCIe, whose bandwidth decides, too."""
        start = self.gpus.index(gpu)
        for i in range(1, self.count):
            other = self.gpus[(start + i) % self.count]
            path, far = gpu.paths[other], net and net.paths[other]
            if path.links:
                key = (-(far.rate // 1000), len(far.links)) if far else (0, 0)
                up = next(link for link in other.links if link.kind == PCI)
                down = next(link for link in up.target.links if link.target is other)
                yield (*key, -(path.rate // 1000), len(path.links), i), other, (up, down)

    def leave(self, gpu: Device, step: int, order: int) -> None:
        """Go back to a NIC; balanced trees do so from each of the first two GPUs with half the bandwidth."""
        halved = self.pattern == BALANCED
        ends = self.ports[-1]
        for net in self.leaving[gpu]:
            if not self.may_leave(net, step):
                continue
            taken = self.take(gpu, net, inter=self.inter // 2 if halved else None)
            if taken is None:
                continue
            before, ends[1] = ends[1], net
            self.at(gpu, step, order, 1 if halved and step == 0 else -1)
            if len(self.done[-1]) == step:
                self.done[-1].append(gpu)
            ends[1] = before if step else net
            self.give(gpu.paths[net], taken)

    def may_leave(self, net: Device, step: int) -> bool:
        start, last = self.ports[-1]
        if self.pattern == TREE and net is not start:
            return False
        if self.pattern == RING and self.graph.cross_nic == 2:
            if len(self.done) % 2 == 0 and net is not self.ports[-2][0]:
                return False
        elif self.graph.cross_nic == 0 and self.card[net] != self.card[start]:
            return False
        return not (self.pattern == BALANCED and step and net is not last)

    def by_switch(self, head: Device) -> None:
        """Take what a head of NVLink SHARP needs: of each GPU once to the switch and back, of the head twice."""
        switch = self.switch
        if switch is None:
            return
        pairs = [(switch, gpu) for gpu in self.gpus] + [(gpu, switch) for gpu in self.gpus]
        self.all_or_nothing(pairs, [2 if head in pair else 1 for pair in pairs])

    def by_pairs(self, head: Device) -> None:
        """Take what a head of CollNet needs: its share to and from each other GPU."""
        pairs = [(head, gpu) for gpu in self.gpus] + [(gpu, head) for gpu in self.gpus]
        self.done[-1][1:] = [gpu for gpu in self.gpus if gpu is not head]
        self.all_or_nothing(pairs, [Fraction(1, max(1, self.count - 1))] * len(pairs))

    def all_or_nothing(self, pairs: list[tuple[Device, Device]], shares: Sequence[int | Fraction]) -> None:
        taken = list[tuple[Path, int, Fraction | int]]()
        for (start, end), share in zip(pairs, shares, strict=True):
            amount = self.take(start, end, share)
            if amount is None:
                break
            taken.append((start.paths[end], amount, share))
        else:
            self.finish()
        for path, amount, share in reversed(taken):
            self.give(path, amount, share)

    def from_nets(self) -> None:
        """Look for a channel from each NIC with enough bandwidth, the next one first."""
        heads, number = self.pattern in (NVLS, DIRECT), len(self.done)
        nets, amount = self.entering, int(self.graph.inter) * 1000
        odd = self.pattern == RING and self.graph.cross_nic == 2 and number % 2
        for i in range(len(nets)):
            net = nets[(number + i) % len(nets)]
            refuses = (self.collnet and not net.number("coll")) or self.left[net] < amount
            if refuses or (odd and net is not self.ports[-1][1]):
                continue
            same = [one for one in self.nets if self.card[one] == self.card[net]]
            for one in same:
                self.left[one] -= amount
            self.ports.append([net, net])
            found = self.heads(net, number, len(nets)) if heads else self.channels(net)
            self.ports.pop()
            for one in same:
                self.left[one] += amount
            if heads and found:
                break

    def heads(self, net: Device, number: int, count: int) -> bool:
        gpu = self.first[net]
        if number >= count or gpu is None or any(one[0] is gpu for one in self.done):
            return False
        self.begin(net, gpu)
        return True

    def channels(self, net: Device) -> bool:
        if self.done and self.graph.alike:
            self.begin(net, self.done[-1][0], AGAIN)
            return True
        if not self.done and self.switch is None:
            left, self.time = self.time, STEPS_IN_ORDER
            self.begin(net, self.gpus[0], BY_PCI)
            self.time = -1 if self.time == -1 else left
        gpu = self.first[net]
        beside = self.system.local(net, "gpu")
        for one in ([] if gpu is None else [gpu]) + [one for one in beside if one is not gpu]:
            self.begin(net, one)
        return True
