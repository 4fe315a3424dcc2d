"""What every routing of the catalogue carries, under uniform and under adversarial traffic, beside minimal routing.

``python -m benchmarks.throughput [NETWORK]`` prints docs/throughput.csv, or the rows of one network.
Carried is the greatest load, to 1/64, of which 98 % are accepted in the second thousand cycles. Rows have that, hops
and the busiest channel there, what is accepted of a load of 1, and what is carried of the traffic that minimal
routing of the network likes least. Single flits, 4 VCs per channel of 8 flits where it can use them, else as few as
it takes.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from unknot.network import Network, tod
from unknot.routing import Relation
from unknot.routing.named import routing_to_simulate
from unknot.simulation import Run, simulate

BELOW = 0.95
"""Share of what minimal routing carries below which a row is marked."""


@dataclass(frozen=True)
class Case:
    """A network, the traffic that its minimal routing likes least, and its routings, that one first."""

    network: str
    adversary: str
    routings: tuple[str, ...]


ANY = ("up_down", 'up_down(choice="any")', "two_trees", "lash", "dfsssp", "hop_number", 'hop_number(choice="all")')
CASES = (
    Case("mesh(8, 8)", "transpose", (
        "dimension_order", "o1turn", "romm", "valiant", "ugal", "west_first", "north_last", "negative_first",
        "odd_even", "duato", "schwiebert", "planar_adaptive", "vba", "lcfaa", "pbfaa", "overlay",
        "dimension_order(vcs=2)", "dimension_order(vcs=1)", "message_classes",
        "fully_adaptive",
    )),
    Case("torus(8, 8)", "tornado", (
        "dimension_order", "ring_lexicographic", "duato", "romm", "valiant", "ugal", *ANY,
    )),
    Case("hypercube(6)", "bit_reverse", (
        "dimension_order", "p_cube", "p_cube(minimal=False)", "negative_first", "duato", "schwiebert", "vba",
    )),
    Case("mesh(4, 4, 4)", "transpose", ("dimension_order", 'composed(exits="spread")')),
    Case("hyperx([4, 4], 4)", "bit_complement", (
        "hyperx_minimal", "hyperx_dimension_order", "hyperx_dimwar", "hyperx_omniwar",
    )),
    Case("fat_tree(4, 3)", "permutation(seed=3)", ('nca(up="modulo")', "nca", "ospf", "bgp", *ANY[:2], "dfsssp")),
    Case("dragonfly(4)", "group", ("dragonfly_minimal", "dragonfly_valiant", "dragonfly_ugal", "hop_number")),
    Case("slim_fly(5, 2)", "permutation(seed=3)", ("hop_number", "shortest_paths", *ANY[:5], ANY[6])),
    Case("itm(20)", "permutation(seed=3)", ("dfsssp", "itm_escape", "hop_number", "up_down")),
    Case("cube_connected_cycles(4)", "permutation(seed=3)", ("hop_number", "cube_connected_cycles", "dfsssp")),
    Case("de_bruijn(2, 6)", "permutation(seed=3)", ("hop_number", "de_bruijn", "dfsssp")),
    Case("shuffle_exchange(6)", "permutation(seed=3)", ("hop_number", "shuffle_exchange", "dfsssp")),
    Case("butterfly(4, 3)", "permutation(seed=3)", ("destination_tag",)),
    Case("rcbn(64)", "permutation(seed=3)", ("rcbn_tags",)),
)  # fmt: skip


def next_group(network: Network) -> list[int]:
    """Traffic from every terminal of a dragonfly to its like in the next group."""
    assert network.coordinates is not None
    group = network.coordinates[:, 0][network.inject]
    size = int((group == 0).sum())
    order = np.argsort(group, kind="stable")
    to = np.empty(network.num_terminals, dtype=int)
    to[order] = np.roll(order, -size)
    return [int(t) for t in to]


def run(relation: Relation, load: float, traffic: str) -> Run:
    """A run of 2,000 cycles."""
    sent = next_group(relation.network) if traffic == "group" else traffic
    return simulate(relation, load, traffic=sent, warmup=1000, measure=1000, seed=1)


def carried(relation: Relation, traffic: str, steps: int = 6) -> Run:
    """The run at the greatest load that is carried, by bisection."""
    best, low, width = run(relation, 2.0**-steps, traffic), 0.0, 1.0
    for _ in range(steps):
        width /= 2
        measurement = run(relation, low + width, traffic)
        if measurement.deadlock is None and measurement.accepted_load >= 0.98 * measurement.offered_load:
            best, low = measurement, low + width
    return best


HEAD = ("network", "routing", "VCs", "uniform", "hops", "busiest channel", "of load 1", "adversarial")


def rows(case: Case) -> Iterator[list[str]]:
    """The rows of a network, as lists of cells."""
    network, least = tod.network(case.network), 0.0
    for k, routing in enumerate(case.routings):
        relation = routing_to_simulate(network, routing)
        even, worst, flood = (
            carried(relation, "uniform"),
            carried(relation, case.adversary),
            run(relation, 1.0, "uniform"),
        )
        least = even.offered_load if k == 0 else least
        mark = " ↓" if even.offered_load < BELOW * least else ""
        fewest, most = int(relation.vcs.counts.min()), int(relation.vcs.counts.max())
        yield [
            case.network,
            routing,
            f"{fewest}" if fewest == most else f"{fewest} to {most}",
            f"{even.offered_load:.2f}{mark}",
            f"{even.hops_mean or 0:.1f}",
            f"{even.utilisation.max(initial=0):.2f}",
            "deadlock" if flood.deadlock is not None else f"{flood.accepted_load:.2f}",
            f"{worst.offered_load:.2f}",
        ]


def main(chosen: str | None = None) -> None:
    """Write the table as CSV to stdout."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(HEAD)
    for case in CASES:
        if chosen in (None, case.network):
            for row in rows(case):
                writer.writerow(row)
                sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:2])
