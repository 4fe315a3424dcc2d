"""Every point measured with BookSim 2 (commit 28f43299) that Unknot can also run: both answers and their difference.

The points are in ``tests/cases/booksim_points.json``. ``python -m benchmarks booksim`` prints the table;
``python -m benchmarks.booksim PICTURE.svg`` also draws the curves over one another.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from unknot import Network, Relation, Run, VirtualChannels, simulate, topologies
from unknot.network import grid
from unknot.routing import EJECT, dimension_order, duato, o1turn, romm, valiant

POINTS = Path(__file__).parents[1] / "tests" / "cases" / "booksim_points.json"
SEEDS = (1, 2, 3)
PATTERNS = {"bitcomp": "bit_complement"}
SATURATION = {"mesh8_dor_uniform_ps1": 0.418, "torus8_dimorder_uniform_ps1": 0.507}
"""The most that BookSim accepts, in flits per terminal and cycle, where it was driven that far."""


def order_on_torus(network: Network, vcs: int) -> Relation:
    """Dimension order as BookSim has it on tori: ties are drawn when the packet is created, one bit a dimension.

    The class, half of the VCs, is chosen on entering a dimension, 1 if the way will wrap, and kept in it. There are
    2ⁿ addresses for each terminal of a torus of n dimensions.
    """
    product, places = grid(network), VirtualChannels(network, vcs)
    position, radices, channel, dimension = product.coordinates, product.radices, product.channel, product.dimension
    router, first, of, home = places.router, places.first, places.channel, network.eject
    terminals, num_vcs, half, dims = network.num_terminals, places.total, vcs // 2, product.radices.size

    def rule(at: int, address: int, out: Any) -> int:
        here, there, ties = router[at], home[address % terminals], address // terminals
        for i in range(dims):
            a, b = position[here, i], position[there, i]
            if a == b:
                continue
            up = (b - a) % radices[i]
            back = (ties >> i) & 1 if 2 * up == radices[i] else int(2 * up > radices[i])
            kind = int(b > a) if back else int(b < a)
            if at < num_vcs and dimension[of[at]] == i:
                kind = (at - first[of[at]]) // half
            for v in range(half):
                out[v] = first[channel[here, 2 * i + back]] + kind * half + v
            return half
        out[0] = EJECT
        return 1

    destination = np.tile(np.arange(terminals), 1 << dims)
    return Relation(network, places, rule, name="dim_order of BookSim", destination=destination)


ROUTINGS: dict[tuple[str, str], Callable[[Network, int], Relation]] = {
    ("mesh", "dor"): dimension_order,
    ("mesh", "xy_yx"): o1turn,
    ("mesh", "romm"): romm,
    ("mesh", "valiant"): valiant,
    ("mesh", "min_adapt"): duato,
    ("torus", "dim_order"): order_on_torus,
    ("torus", "min_adapt"): duato,
}


@dataclass(frozen=True)
class Compared:
    """One point: BookSim's figures and ours, both averaged over seeds.

    Attributes
    ----------
    latency, accepted : float
        BookSim's.
    residual : float
        Our mean latency less the formula for an empty network and the run's own hops.
    """

    name: str
    load: float
    latency: float
    accepted: float
    ours: float
    ours_accepted: float
    residual: float
    stable: bool

    @property
    def difference(self) -> float:
        """Of the latencies, as a part of BookSim's."""
        return self.ours / self.latency - 1


def compare(names: tuple[str, ...] = (), seeds: tuple[int, ...] = SEEDS) -> list[Compared]:
    """Run every supported point, or those of some names, in the order of the file."""
    found: dict[tuple[str, float], list[dict[str, Any]]] = {}
    for point in json.loads(POINTS.read_text(encoding="utf-8")):
        known = (point["topology"], point["routing"]) in ROUTINGS and point["latency"] is not None
        if known and (not names or point["name"] in names):
            found.setdefault((point["name"], point["load"]), []).append(point)
    return [_compared(points, seeds) for points in found.values()]


def relation_of(point: dict[str, Any]) -> Relation:
    """The design of a point."""
    build = getattr(topologies, point["topology"])
    network = build(*[point["k"]] * point["n"], latency=point["link_latency"])
    return ROUTINGS[point["topology"], point["routing"]](network, point["vcs"])


def _compared(points: list[dict[str, Any]], seeds: tuple[int, ...]) -> Compared:
    point = points[0]
    relation = relation_of(point)
    runs = [_run(relation, point, seed) for seed in seeds]
    ours, hops = (float(np.mean([getattr(run, what) for run in runs])) for what in ("latency_mean", "hops_mean"))
    empty = 4 * hops + point["link_latency"] * (hops - 1) + 3 + (point["packet_length"] - 1)
    return Compared(
        point["name"],
        point["load"],
        float(np.mean([p["latency"] for p in points])),
        float(np.mean([p["accepted"] for p in points])),
        ours,
        float(np.mean([run.accepted_load for run in runs])),
        ours - empty,
        all(run.stable for run in runs),
    )


def _run(relation: Relation, point: dict[str, Any], seed: int) -> Run:
    return simulate(
        relation,
        point["load"],
        packet_length=point["packet_length"],
        switching="wormhole-nonatomic",
        buffer_depth=point["buffer_depth"],
        traffic=PATTERNS.get(point["traffic"], point["traffic"]),
        seed=seed,
    )


def draw(found: list[Compared], path: Path) -> None:
    """The curves of the designs that were measured at several loads, BookSim's marks over our lines."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from unknot.report.curves import STYLE
    from unknot.report.sheet import COLOURS

    curves: dict[str, list[Compared]] = {}
    for point in found:
        curves.setdefault(point.name, []).append(point)
    with rc_context(STYLE):
        figure = Figure(figsize=(9.6, 3.9), layout="constrained")
        FigureCanvasAgg(figure)
        left, right = figure.subplots(1, 2)
        for k, (name, points) in enumerate(
            (n, sorted(p, key=lambda q: q.load)) for n, p in curves.items() if len(p) > 2
        ):
            loads, steady = [p.load for p in points], [p for p in points if p.stable]
            ink = COLOURS[k % len(COLOURS)]
            left.plot([p.load for p in steady], [p.ours for p in steady], color=ink, label=f"{name}, Unknot")
            left.plot(loads, [p.latency for p in points], "o", color=ink, mfc="white", label=f"{name}, BookSim")
            right.plot(loads, [p.ours_accepted for p in points], color=ink)
            right.plot(loads, [p.accepted for p in points], "o", color=ink, mfc="white")
        left.set(ylim=(20, 120), ylabel="Mean packet latency (cycles)")
        right.set(ylabel="Accepted load (flits / terminal / cycle)")
        left.legend(frameon=False, fontsize=7.5)
        for panel in (left, right):
            panel.set_xlabel("Offered load (flits / terminal / cycle)")
            panel.grid(True, linewidth=0.8)
            panel.spines[["top", "right"]].set_visible(False)
        figure.savefig(path, dpi=130, metadata={"Date": None} if path.suffix == ".svg" else None)


def table(found: list[Compared]) -> str:
    """The comparison as a Markdown table."""
    lines = [
        "| point | load | BookSim latency | ours | difference | less formula | BookSim accepts | ours | we say |",
        "|---|--:|--:|--:|--:|--:|--:|--:|---|",
    ]
    for p in found:
        said = "stable" if p.stable else "not stable"
        cells = [
            p.name,
            f"{p.load:g}",
            f"{p.latency:.2f}",
            f"{p.ours:.2f}",
            f"{p.difference:+.1%}",
            f"{p.residual:.2f}",
        ]
        lines.append("| " + " | ".join([*cells, f"{p.accepted:.4f}", f"{p.ours_accepted:.4f}", said]) + " |")
    return "\n".join(lines)


def main(picture: str | None = None) -> None:
    found = compare()
    print(table(found))
    if picture is not None:
        draw(found, Path(picture))


if __name__ == "__main__":
    main(*sys.argv[1:2])
