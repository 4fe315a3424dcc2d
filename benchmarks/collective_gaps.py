"""Schedules of small platforms beside their bounds: whole flits, latencies, mixed bandwidths and switches."""

from __future__ import annotations

import random
import time
from collections import defaultdict
from fractions import Fraction
from statistics import mean

from unknot.certificates import document
from unknot.certificates.plain import accept
from unknot_collectives import Operation, Platform, best, bound, candidates
from unknot_collectives.operation import ROOTED
from unknot_collectives.platform import Channel

KINDS = (
    "broadcast", "reduce", "scatter", "gather", "all_gather", "reduce_scatter", "all_reduce", "all_to_all",
)  # fmt: skip


def drawn(draw: random.Random, most: int = 7) -> Platform:
    """Return 3 to 7 nodes, some of them switches, on a tree of links and some more, both ways alike."""
    count = draw.randint(3, most)
    switches = draw.randint(0, min(2, count - 2))
    order = draw.sample(range(count), count)
    pairs = {(order[i], draw.choice(order[:i])) for i in range(1, count)}
    pairs |= {(a, b) for a in range(count) for b in range(a) if draw.random() < 0.3 and (b, a) not in pairs}
    channels = list[Channel]()
    for a, b in sorted(pairs):
        rate, late = Fraction(draw.choice((1, 1, 2, 4))), Fraction(draw.randint(0, 4))
        channels += [Channel(a, b, rate, late), Channel(b, a, rate, late)]
    # Switches are the nodes with the most links: a leaf that is a switch would be idle.
    linked = sorted(range(count), key=lambda node: -sum(c.source == node for c in channels))
    members = tuple(sorted(set(range(count)) - set(linked[:switches])))
    return Platform("drawn", count, tuple(channels), members)


def gaps(count: int = 320, seed: int = 1) -> None:
    """Print the time of the best schedule over the bound by operation; each schedule is replayed."""
    draw, ratios = random.Random(seed), defaultdict[str, list[float]](list)
    started = time.process_time()
    for case in range(count):
        kind, platform = KINDS[case % len(KINDS)], drawn(draw)
        size = Fraction(round(10 ** draw.uniform(0, 3)))
        root = draw.choice(platform.members) if kind in ROOTED else None
        operation = Operation(kind, platform.members, size, root)
        limit = bound(platform, operation, in_time=True)
        made = best(candidates(platform, operation), size)
        accept(document(None, None, [limit.claim(), made.claim()]))
        ratios[kind].append(float(made.time / limit.time))
        if ratios[kind][-1] > 1.3:
            print(
                f"case {case}: {kind}, {size} flits, {len(platform.members)} of {platform.num_nodes}: "
                f"{made.name} {float(made.time):.2f}, bound {float(limit.time):.2f}, {ratios[kind][-1]:.2f}",
                flush=True,
            )
    for kind, some in ratios.items():
        print(f"{kind:15} mean {mean(some):.3f}, worst {max(some):.3f}")
    every = [ratio for some in ratios.values() for ratio in some]
    seconds = time.process_time() - started
    print(f"{len(every)} cases: mean {mean(every):.3f}, worst {max(every):.3f}, {seconds:.0f} s")
