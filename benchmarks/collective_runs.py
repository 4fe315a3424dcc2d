"""The model of collective operations on real routes beside runs flit by flit, on pairs drawn by seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from unknot._base.errors import UnknotError
from unknot.fabrics.named import network
from unknot.routing.named import routing_to_simulate
from unknot.simulation.engine.router import Router
from unknot_collectives import Operation, bound, group_of, platform_of
from unknot_collectives.choice import by_algorithm
from unknot_collectives.comparison import Timed, compared
from unknot_collectives.on_routes import ScheduleRoutes
from unknot_collectives.operation import ROOTED
from unknot_collectives.rings import ring_order
from unknot_collectives.textbook import algorithms

FAT_TREES = (
    "fat_tree(4, 2)",
    "fat_tree(2, 3)",
    "fat_tree(3, 3)",
    "fat_tree(6, 2)",
    "fat_tree(2, 4)",
    "fat_tree(8, 2)",
)
ADAPTIVE = (
    ("torus(4, 4)", "duato"), ("mesh(4, 4)", "fully_adaptive"), ("hypercube(4)", "duato"), ("torus(3, 5)", "duato"),
    ("hyperx([4, 4])", "hyperx_minimal"), ("dragonfly(2, 4, 2)", "dragonfly_minimal"), ("mesh(4, 4)", "west_first"),
    ("torus(4, 4)", "dimension_order"), ("dragonfly(2, 3, 1)", "dragonfly_ugal"), ("petersen()", "dfsssp"),
)  # fmt: skip
"""Networks with routings, most of them adaptive."""
KINDS = ("all_to_all", "all_gather", "reduce_scatter", "all_reduce", "broadcast", "scatter")
SIZES = (64, 128, 256)
ABOVE, WITHIN = 1.02, 1.1
"""Times the run that the model may be, and times the model that the run may be."""


def pairs(count: int, seed: int) -> Iterator[tuple[str, str, str, str, int, Timed]]:
    """Yield networks, routings, operations, algorithms, sizes and what was timed; every other network a fat tree."""
    draw, done = random.Random(seed), 0
    while done < count:
        text, rule = (draw.choice(FAT_TREES), draw.choice(("nca", "up_down"))) if done % 2 else draw.choice(ADAPTIVE)
        kind, size = draw.choice(KINDS), draw.choice(SIZES)
        name = draw.choice(algorithms(kind))
        try:
            row = timed(text, rule, kind, name, size)
        except UnknotError:  # an algorithm for powers of two, or for grids
            continue
        done += 1
        yield text, rule, kind, name, size, row


def timed(text: str, rule: str, kind: str, name: str, size: int) -> Timed:
    """Return the fastest run of an algorithm, as `unknot collective` makes it."""
    relation, router = routing_to_simulate(network(text), rule), Router(internal_speedup=2)
    built = relation.network
    platform = platform_of(built, stages=router.header_cycles)
    whole = Operation(kind, platform.members, Fraction(1), platform.members[0] if kind in ROOTED else None)
    group = group_of(built, whole)
    group = replace(group, circle=ring_order(platform, group.row))
    choices = by_algorithm(platform, whole, [name], group=group, routes=ScheduleRoutes(relation))
    floor = bound(platform_of(built), replace(whole, size=Fraction(size)), quick=True)
    return compared(choices, [floor], relation, router=router, buffer_depth=16, packet=16).tables[0][0]


def routes(count: int = 40, seed: int = 1) -> None:
    """Print each pair, and how many are out of the limits."""
    ratios = list[float]()
    for text, rule, kind, name, size, row in pairs(count, seed):
        ratios.append(row.measured / row.time if row.measured else 0.0)
        print(
            f"{text:20} {rule:18} {kind:14} {name:19} {size:4} {row.pieces:3} {row.time:9.0f} {row.measured!s:>9} "
            f"{ratios[-1]:6.3f}",
            flush=True,
        )
    out = [ratio for ratio in ratios if not 1 / ABOVE <= ratio <= WITHIN]
    print(
        f"{count} pairs: runs take {min(ratios):.3f} to {max(ratios):.3f} times the model, {len(out)} are out: {out}"
    )
