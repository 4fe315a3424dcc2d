"""Relations to simulate: random ones that always deliver, and rings that can or cannot deadlock."""

from __future__ import annotations

import numpy as np

from unknot.network import Network, distances_from
from unknot.network.families import ring
from unknot.routing import EJECT, NO_WAIT, TIER, Relation, VirtualChannels


def random_relation(seed: int) -> Relation:
    """A small strongly connected network with a random, mostly minimal relation without dead ends."""
    random = np.random.default_rng(seed)
    routers = int(random.integers(2, 6))
    around = np.arange(routers)
    extra = random.integers(0, routers, (2, int(random.integers(0, 6))))
    source, target = np.concatenate([around, extra[0]]), np.concatenate([(around + 1) % routers, extra[1]])
    terminals = int(random.integers(1, 5)) + 1
    network = Network(
        f"random {seed}",
        routers,
        source,
        target,
        random.integers(1, 4, source.size),
        inject=random.integers(0, routers, terminals),
        eject=random.integers(0, routers, terminals),
    )
    vcs = VirtualChannels(network, random.integers(1, 4, source.size))
    width = int(np.bincount(source, weights=vcs.counts).max()) + 1
    shape = (vcs.total + terminals, terminals)
    count, table = np.zeros(shape, dtype=np.int64), np.zeros((*shape, width), dtype=np.int64)
    distance = np.array([distances_from(network, r) for r in range(routers)])
    for at in range(shape[0]):
        here = int(vcs.router[at])
        for address in range(terminals):
            home = int(network.eject[address])
            if here == home:
                table[at, address, 0], count[at, address] = EJECT, 1
                continue
            leaving = [v for v in range(vcs.total) if source[vcs.channel[v]] == here]
            nearer = [v for v in leaving if distance[target[vcs.channel[v]], home] < distance[here, home]]
            chosen = {int(v) for v in random.permutation(nearer)[: int(random.integers(1, len(nearer) + 1))]}
            if random.random() < 0.1:
                chosen.add(int(random.choice(leaving)))
            order = [int(v) for v in random.permutation(sorted(chosen))]
            marks = random.integers(0, 3, len(order)) * TIER + (random.random(len(order)) < 0.3) * NO_WAIT
            marks[int(random.integers(len(order)))] &= NO_WAIT - 1
            table[at, address, : len(order)], count[at, address] = np.array(order) + marks, len(order)

    def rule(at: int, address: int, out: np.ndarray) -> int:
        for k in range(count[at, address]):
            out[k] = table[at, address, k]
        return count[at, address]

    return Relation(network, vcs, rule, name=f"random {seed}", commits=bool(random.random() < 0.3))


def clockwise(k: int, *, escape: bool = False) -> Relation:
    """All packets go up a ring of k routers on VC 0; with `escape` a header that need not come to the wrap link, or
    stands before it, may also take VC 1, on which it then stays: an acyclic way out."""
    network = ring(k)
    up = np.array([network.between(r, (r + 1) % k)[0] for r in range(k)])
    vcs = VirtualChannels(network, 2 if escape else 1)
    first, router, total, index = vcs.first, vcs.router, vcs.total, vcs.index

    def rule(at: int, address: int, out: np.ndarray) -> int:
        here = router[at]
        if here == address:
            out[0] = EJECT
            return 1
        down = at < total and index[at] == 1
        count = 0
        if not down:
            out[0] = first[up[here]]
            count = 1
        if escape and (address > here or here == k - 1 or down):
            out[count] = first[up[here]] + 1
            count += 1
        return count

    return Relation(network, vcs, rule, name="clockwise with escape" if escape else "clockwise")
