"""Collective operations beside published results, and on drawn graphs: ``python -m benchmarks.collectives [PART …]``.

Parts: ``tacos``, the regression cases of astra-sim/tacos in its model (a link is busy for latency + size / bandwidth,
one chunk at a time); ``forestcoll``, the graphs of liangyuRain/ForestColl; ``teccl FOLDER``, the result files of
microsoft/TE-CCL in its folder ``output_provided``; ``drawn COUNT``, graphs where all cuts are tried, and ``trees``,
where all trees are; ``routes COUNT SEED``, the model beside runs flit by flit;
``gaps COUNT SEED``, small platforms with latencies and whole flits beside their bounds; ``exact COUNT SEED``,
still smaller ones beside the least time that a constraint solver finds, too.
Times are in microseconds, of ``routes`` in cycles, seconds those of one processor.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path

from tests.collectives.test_bounds import by_all_cuts
from tests.collectives.test_chunks import drawn_platform, operation_on
from tests.collectives.test_groups import by_trees

from benchmarks.collective_exact import exact
from benchmarks.collective_gaps import gaps
from benchmarks.collective_runs import routes
from unknot.certificates import document
from unknot.certificates.plain import accept
from unknot_collectives import Operation, Platform, best, bound, candidates, optimal, timed
from unknot_collectives.choice import MOST_PACKED
from unknot_collectives.operation import KINDS
from unknot_collectives.platform import Channel
from unknot_collectives.proposals import AlgorithmProposal
from unknot_collectives.schedule import Schedule

GIB = 2**30 / 1e6
"""Bytes per microsecond of a GiB per second."""


def grid(*sizes: int, rates: tuple[float, ...], latency: float, wraps: bool = False) -> Platform:
    """A mesh or torus of members, with the bandwidth of each dimension in GiB per second."""
    places = list(product(*map(range, sizes)))
    number = {place: i for i, place in enumerate(places)}
    channels = []
    for place in places:
        for k, size in enumerate(sizes):
            if place[k] + 1 < size or (wraps and size > 1):
                other = (*place[:k], (place[k] + 1) % size, *place[k + 1 :])
                for one, two in ((place, other), (other, place)):
                    rate = Fraction(rates[k % len(rates)]).limit_denominator(1000) * Fraction(2**30, 10**6)
                    channels.append(Channel(number[one], number[two], rate, Fraction(latency)))
    return Platform("x".join(map(str, sizes)), len(places), tuple(channels), tuple(range(len(places))))


TACOS = [
    ("mesh 5x5", lambda: grid(5, 5, rates=(50,), latency=0.5), 1024, 9606.0),
    ("mesh 10x10", lambda: grid(10, 10, rates=(100,), latency=1), 1024, 5049.0),
    ("mesh 7x12", lambda: grid(7, 12, rates=(100,), latency=1), 4096, 19966.27),
    ("mesh 5x5, 50 and 75", lambda: grid(5, 5, rates=(75, 50), latency=0.5), 1024, 8005.0),
    ("mesh 8x5, 80 and 35", lambda: grid(5, 8, rates=(35, 80), latency=1), 1024, 8595.43),
    ("mesh 7x10, 16 and 73", lambda: grid(10, 7, rates=(73, 16), latency=1.5), 4096, 44612.47),
    ("mesh 3x3x3", lambda: grid(3, 3, 3, rates=(50,), latency=0.5), 1024, 6671.17),
    ("mesh 3x4x5", lambda: grid(3, 4, 5, rates=(50,), latency=0.5), 2048, 13353.33),
    ("mesh 4x2x3", lambda: grid(4, 2, 3, rates=(50,), latency=0.5), 3072, 19178.17),
    ("torus 3x3x3", lambda: grid(3, 3, 3, rates=(50,), latency=0.5, wraps=True), 1024, 3706.20),
    ("torus 3x4x5", lambda: grid(3, 4, 5, rates=(50,), latency=0.5, wraps=True), 2048, 6676.67),
    ("torus 4x2x3", lambda: grid(4, 2, 3, rates=(50,), latency=0.5, wraps=True), 3072, 11673.67),
]
"""Name, platform, MiB gathered at each member, and the published time."""


def table(rows: Iterator[tuple[str, Platform, str, Fraction, float]]) -> None:
    """Bound and schedule beside a published time."""
    kept: dict[tuple[Platform, str], list[AlgorithmProposal]] = {}
    print(f"{'case':34} {'bound':>10} {'ours':>10} {'gap':>7} {'published':>10} {'ours/pub.':>9} {'s':>6}  algorithm")
    for name, platform, kind, size, published in rows:
        started = time.process_time()
        whole = Operation(kind, platform.members, size)
        limit = bound(platform, whole)
        if (platform, kind) not in kept:
            names = ("optimal", "greedy") if len(platform.members) > MOST_PACKED else ()
            kept[platform, kind] = candidates(platform, whole, names)
        schedule = best(kept[platform, kind], size)
        seconds = time.process_time() - started
        accept(document(None, None, [limit.claim(), schedule.claim()]))
        least, ours = float(limit.time), float(schedule.time)
        print(
            f"{name:34} {least:10.2f} {ours:10.2f} {100 * (ours / least - 1):6.2f}% {published:10.2f} "
            f"{ours / published:9.4f} {seconds:6.1f}  {schedule.name}, {schedule.pieces}"
            f"; busiest channel {float(schedule.busiest / limit.time):.4f} of the bound",
            flush=True,
        )


def serial(platform: Platform, chunk: Fraction) -> Platform:
    """The platform in TACOS's model: a channel is busy with a chunk for its latency, too, and then all has come."""
    return replace(
        platform,
        channels=tuple(
            replace(c, bandwidth=chunk / (c.latency + chunk / c.bandwidth), latency=Fraction(0))
            for c in platform.channels
        ),
    )


def tacos() -> None:
    """Each case in TACOS's model, with the numbers of pieces that are best; bounds in the original one are lower."""
    print(f"{'case':24} {'bound':>10} {'ours':>10} {'gap':>7} {'published':>10} {'ours/pub.':>9} {'s':>6}  pieces")
    for name, make, mebibytes, published in TACOS:
        started, platform = time.process_time(), make()
        size = Fraction(mebibytes * 2**20, len(platform.members))
        whole = Operation("all_gather", platform.members, size)
        limit, schedules = bound(platform, whole), list[tuple[float, int, Schedule]]()
        for pieces in (1, 2, 3, 4, 6, 8, 12, 16):
            if pieces * len(platform.members) ** 2 > 20_000:
                break
            on = serial(platform, size / pieces)
            schedule = best(candidates(on, whole, ["greedy"], pieces=(pieces,)), size)
            schedules.append((float(schedule.time), pieces, schedule))
        ours, pieces, schedule = min(schedules, key=lambda one: one[0])
        seconds, least = time.process_time() - started, float(limit.time)
        accept(document(None, None, [limit.claim(), schedule.claim()]))
        print(
            f"{name:24} {least:10.2f} {ours:10.2f} {100 * (ours / least - 1):6.2f}% {published:10.2f} "
            f"{ours / published:9.4f} {seconds:6.1f}  {pieces}",
            flush=True,
        )


def a100(chassis: int) -> Platform:
    """Chassis of 8 GPUs on a switch at 300 GB/s, each with a card at 25 GB/s to one of two switches outside."""
    hub, outside = 8 * chassis, 9 * chassis
    pairs = [(gpu, hub + gpu // 8, 300) for gpu in range(8 * chassis)]
    pairs += [(gpu, outside + gpu % 2, 25) for gpu in range(8 * chassis)] * (chassis > 1)
    return _of_pairs(f"A100, {chassis} of 8", outside + 2 * (chassis > 1), pairs, 8 * chassis)


MI250 = {
    4: "0-1 2-3 4-5 6-7 8-9 10-11 12-13 14-15",
    2: "0-4 3-7 8-12 11-15",
    1: "0-8 1-5 1-9 1-10 2-6 2-9 2-10 3-11 4-6 5-6 5-7 9-13 10-14 12-14 13-14 13-15",
}
"""Links of a chassis of MI250, by their number."""


def mi250(chassis: int) -> Platform:
    """Chassis of 16 GPUs with links of 50 GB/s, each GPU with 16 GB/s to a switch outside."""
    pairs = []
    for base in range(0, 16 * chassis, 16):
        for links, text in MI250.items():
            pairs += [
                (base + int(a), base + int(b), 50 * links) for a, b in (pair.split("-") for pair in text.split())
            ]
    pairs += [(gpu, 16 * chassis, 16) for gpu in range(16 * chassis)] * (chassis > 1)
    # The published matrix names each link from both ends, and adds the capacity once.
    return _of_pairs(f"MI250, {chassis} of 16", 16 * chassis + (chassis > 1), pairs, 16 * chassis)


def _of_pairs(name: str, nodes: int, pairs: list[tuple[int, int, int]], members: int) -> Platform:
    both = [(a, b, rate) for one, two, rate in pairs for a, b in ((one, two), (two, one))]
    channels = tuple(Channel(a, b, Fraction(rate * 1000)) for a, b, rate in both)
    return Platform(name, nodes, channels, tuple(range(members)))


def forestcoll() -> Iterator[tuple[str, Platform, str, Fraction, float]]:
    for platform in (a100(1), a100(2), mi250(1), mi250(2), mi250(4)):
        for kind in ("all_gather", "all_reduce"):
            size = Fraction(10**9, len(platform.members) if kind == "all_gather" else 1)
            yield f"{platform.name}, {kind}", platform, kind, size, float("nan")


NDV2 = {
    50: "0-1 0-4 1-3 2-3 2-6 4-5 5-7 6-7",
    25: "0-2 0-3 1-2 1-5 3-7 4-6 4-7 5-6",
}
"""Links of a chassis of NDv2 by GB/s."""


def ndv2(chassis: int) -> Platform:
    """Chassis as the published runs have them: with two, GPU 0 of the first is a switch; with four, node 0 is one."""
    channels, first = [], chassis // 4
    for base in range(first, first + 8 * chassis, 8):
        for rate, text in NDV2.items():
            for a, b in (pair.split("-") for pair in text.split()):
                one, two = base + int(a), base + int(b)
                channels += [
                    Channel(x, y, Fraction(rate * 1000), Fraction(7, 10)) for x, y in ((one, two), (two, one))
                ]
    ends = [(8, 1), (0, 9)]
    if chassis > 2:
        ends = [pair for base in range(0, 8 * chassis, 8) for pair in ((base + 1, 0), (0, base + 2))]
    channels += [Channel(a, b, Fraction(12500), Fraction(13, 10)) for a, b in ends]
    nodes = first + 8 * chassis
    return Platform(f"NDv2, {chassis} of 8", nodes, tuple(channels), tuple(range(1, nodes)))


def dgx2() -> Platform:
    """Two chassis of 16 GPUs on a switch, with 8 links each way between them from odd to even GPUs."""
    channels = []
    for base in (0, 17):
        for gpu in range(base + 1, base + 17):
            channels += [Channel(a, b, Fraction(125000), Fraction(7, 20)) for a, b in ((base, gpu), (gpu, base))]
    for base, other in ((0, 17), (17, 0)):
        channels += [Channel(base + 2 + i, other + 1 + i, Fraction(12500), Fraction(13, 5)) for i in range(0, 16, 2)]
    return Platform("DGX2, 2 of 16", 34, tuple(channels), tuple(n for n in range(34) if n % 17))


def teccl(folder: Path) -> Iterator[tuple[str, Platform, str, Fraction, float]]:
    """The published runs on two and four chassis; of several for a size the fastest."""
    units = {"KB": 10**3, "MB": 10**6, "GB": 10**9}
    runs = ("NDv2", 2, ndv2(2), 16), ("NDv2", 4, ndv2(4), 32), ("DGX2", 2, dgx2(), 32)
    for name, chassis, platform, gpus in runs:
        for kind, called in (("all_gather", "AllGather"), ("all_to_all", "AlltoAll")):
            fastest: dict[int, float] = {}
            for file in sorted((folder / f"{name}_output/{chassis}_chassis/{called}").rglob("*.json")):
                size = int(file.stem[:-2]) * units[file.stem[-2:]]
                taken = json.loads(file.read_text())["4-Collective_Finish_Time"] * 1e6
                fastest[size] = min(taken, fastest.get(size, taken))
            for size, taken in sorted(fastest.items()):
                yield f"{platform.name}, {kind}, {size:,} B", platform, kind, Fraction(size, gpus), taken


def drawn(count: int) -> None:
    """Graphs of at most 6 nodes: the busiest channel against all cuts, each schedule replayed."""
    draw = random.Random()
    tight = 0
    for _ in range(count):
        platform = drawn_platform(draw, balanced=True)
        whole = operation_on(platform, draw.choice([kind for kind in KINDS if kind not in ("all_to_all", "barrier")]))
        schedule = optimal(platform, whole)
        for one in (schedule, timed(schedule.pipelined(3))):
            accept(document(None, None, [one.claim(), bound(platform, whole).claim()]))
        least = by_all_cuts(platform, whole)
        assert least is not None
        assert schedule.busiest == least or (whole.kind == "all_reduce" and schedule.busiest > least), platform
        tight += schedule.busiest == least
    print(f"{count} graphs: every schedule accepted, {tight} as fast as the worst cut; the others are all-reduces")


def trees() -> None:
    """Graphs of at most 5 nodes, every other one with two groups: the optimum over all trees by a linear program."""
    draw, tight, whole = random.Random(5), 0, 0
    while whole < 300:
        if (times := by_trees(draw, grouped=whole % 2 == 1)) is not None:
            limit, busiest, least = times
            assert float(limit) <= least * (1 + 1e-9)
            assert float(busiest) <= least * (1 + 1e-6)
            tight, whole = tight + (float(limit) > least * (1 - 1e-9)), whole + 1
    print(f"{whole} graphs: every schedule is the optimum over all trees, and the bound is on {tight}")


PARTS: dict[str, Callable[[], None]] = {
    "tacos": tacos,
    "forestcoll": lambda: table(forestcoll()),
    "drawn": lambda: drawn(300),
    "trees": trees,
    "routes": routes,
    "gaps": gaps,
    "exact": exact,
}
SEVERAL: dict[str, Callable[..., None]] = {"drawn": drawn, "routes": routes, "gaps": gaps, "exact": exact}
"""Parts that take numbers."""


def main() -> None:
    words = sys.argv[1:] or list(PARTS)
    if words[0] == "teccl":
        table(teccl(Path(words[1])))
    elif words[0] in SEVERAL and len(words) > 1:
        SEVERAL[words[0]](*map(int, words[1:]))
    else:
        for word in words:
            PARTS[word]()


if __name__ == "__main__":
    main()
