"""Two dragonfly routings: CODES (dragonfly-dally) and SST/macro (UGAL), whose VCs follow the way of a packet.

Read in src/networks/model-net/dragonfly-dally.cxx of codes-org/codes at commit a5958cfa and in
sstmac/hardware/router/dragonfly_routing.cc of sstsimulator/sst-macro at commit 15d5cd25. Both compare queues at some
routers; here a header may take every channel that a comparison could choose.
"""

from unknot import EJECT, Relation
from unknot.network import Network
from unknot.routing import VirtualChannels
from unknot.routing.parts import Published

CLAIMS = {"vct": True}


class Groups:
    """Channels of a dragonfly by router and group, as lists."""

    def __init__(self, network: Network) -> None:
        self.group = network.coordinates[:, 0].tolist()
        self.router_of = network.eject.tolist()
        members = {g: [r for r, of in enumerate(self.group) if of == g] for g in self.group}
        ends = list(zip(network.source.tolist(), network.target.tolist(), strict=True))
        self.local = {pair: c for c, pair in enumerate(ends) if self.group[pair[0]] == self.group[pair[1]]}
        self.peers = [[self.local[r, k] for k in members[g] if k != r] for r, g in enumerate(self.group)]
        self.far = [{g: [] for g in members} for _ in self.group]
        for channel, (a, b) in enumerate(ends):
            if self.group[a] != self.group[b]:
                self.far[a][self.group[b]].append(channel)
        self.all_far = [[c for found in groups.values() for c in found] for groups in self.far]
        self.to_link = [
            {to: [self.local[r, k] for k in members[g] if k != r and self.far[k][to]] for to in members}
            for r, g in enumerate(self.group)
        ]


def dally(network: Network) -> Relation:
    """Return progressive adaptive routing with four VCs: 0, 1 in the group of the source, 2 between, 3 at the end."""
    vcs, groups = VirtualChannels(network, 4), Groups(network)
    router, first = vcs.router.tolist(), vcs.first.tolist()
    came = [groups.group[a] == groups.group[b] for a, b in zip(network.source, network.target, strict=True)]

    def rule(at: int, address: int, out: list[int]) -> int:
        here, there = router[at], groups.router_of[address]
        to = groups.group[there]
        injected = at >= vcs.total
        arrived = not injected and came[at // 4]
        direct = groups.far[here][to]
        if here == there:
            found = [EJECT]
        elif groups.group[here] == to:
            found = [first[groups.local[here, there]] + vc for vc in ((0, 1) if injected else (3,))]
        elif injected:
            found = [first[c] + vc for c in [*direct, *groups.to_link[here][to]] for vc in (0, 1)]
            found += [first[c] + 1 for c in [*groups.all_far[here], *groups.peers[here]]]
        elif arrived and at % 4 < 2:
            found = [first[c] + 1 for c in groups.all_far[here]]
        else:
            found = [first[c] + 2 for c in [*direct, *([] if arrived else groups.to_link[here][to])]]
        return _write(out, found)

    return Relation(network, vcs, rule, name="dally", published=Published(CLAIMS))


def ugal(network: Network) -> Relation:
    """Return UGAL with six VCs, one for each hop: at most local, global, local, local, global, local."""
    vcs, groups = VirtualChannels(network, 6), Groups(network)
    router, first = vcs.router.tolist(), vcs.first.tolist()

    def rule(at: int, address: int, out: list[int]) -> int:
        here, there = router[at], groups.router_of[address]
        to = groups.group[there]
        hops = 0 if at >= vcs.total else at % 6 + 1
        if here == there:
            return _write(out, [EJECT])
        if groups.group[here] == to:
            found = groups.peers[here] if hops == 0 else [groups.local[here, there]]
        else:
            found = groups.far[here][to] or groups.to_link[here][to]
            if hops in (0, 2):  # to a router with a link to some group; in the group between, to the end of a link
                found = [*groups.far[here][to], *groups.peers[here]]
            elif hops == 1:
                found = groups.all_far[here]
        return _write(out, [first[c] + hops for c in found])

    return Relation(network, vcs, rule, name="ugal", published=Published(CLAIMS))


def _write(out: list[int], found: list[int]) -> int:
    candidates = dict.fromkeys(found)
    for count, candidate in enumerate(candidates):
        out[count] = candidate
    return len(candidates)
