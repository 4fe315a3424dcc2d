"""Every point measured with BookSim 2 (commit 28f43299) that Unknot can also run: both answers and their difference.

The points are in ``tests/cases/booksim_points.json``, those of router options, packet lengths, bursts and further
networks in ``booksim_options.json`` beside it. ``python -m benchmarks booksim`` prints the tables;
``python -m benchmarks.booksim docs`` also puts them and the curves, laid over one another, into that folder.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tests.simulation.booksim_relations import ancestor_drawn, order_on_torus

from unknot import Network, Relation
from unknot.network import families as topologies
from unknot.routing import destination_tag, dimension_order, duato, o1turn, romm, valiant
from unknot.simulation import simulate
from unknot.simulation.engine.router import Router
from unknot.traffic.workload import Bursts, length_shares, mean_length

CASES = Path(__file__).parents[1] / "tests" / "cases"
POINTS, OPTIONS = CASES / "booksim_points.json", CASES / "booksim_options.json"
SEEDS = (1, 2, 3)
CYCLES, BURSTY = 20_000, 5
"""Cycles measured with options, and how many times as many with bursts, which take longer to even out."""
PATTERNS = {"bitcomp": "bit_complement"}
DEFAULT, TORUS = "mesh8_dor_uniform_ps1", "torus8_dimorder_uniform_ps1"
SATURATION = {DEFAULT: 0.418, TORUS: 0.507}
"""The most that BookSim accepts, in flits per terminal and cycle; the points of the other file have their own."""
PANELS = {
    "Stages": (DEFAULT, "mesh8_lookahead", "mesh8_traversal2_mended", "mesh8_vc_alloc2", "mesh8_sw_alloc2"),
    "Speculation": (DEFAULT, "mesh8_speculative", "mesh8_speculative_separate", "mesh8_speculative_sif"),
    "Allocators": (DEFAULT, "mesh8_islip2", "mesh8_sif", "mesh8_sif_age"),
    "Buffers and credits": ("mesh8_depth2", "mesh8_depth4", "mesh8_depth4_credit2", DEFAULT, "mesh8_vcs2"),
    "Lengths and held switch": ("mesh8_ps1_5", "mesh8_ps4", "mesh8_ps4_hold", "mesh8_ps8", "mesh8_ps8_hold"),
    "Networks, patterns, bursts": (
        "mesh8_transpose",
        "mesh8_tornado",
        "mesh8_bursts50",
        "torus8",
        "fly4x3",
        "fattree4x3",
    ),
}


NETWORKS = {"fly": topologies.butterfly, "fattree": topologies.fat_tree}
ROUTINGS: dict[tuple[str, str], Callable[[Network, int], Relation]] = {
    ("mesh", "dor"): dimension_order,
    ("mesh", "xy_yx"): o1turn,
    ("mesh", "romm"): romm,
    ("mesh", "valiant"): valiant,
    ("mesh", "min_adapt"): duato,
    ("torus", "dim_order"): order_on_torus,
    ("torus", "min_adapt"): duato,
    ("fly", "dest_tag"): destination_tag,
    ("fattree", "nca"): ancestor_drawn,
}


@dataclass(frozen=True)
class Compared:
    """One point: BookSim's figures and ours, both averaged over seeds.

    Attributes
    ----------
    saturation : float or None
        The most that BookSim accepts.
    latency, accepted : float
        BookSim's.
    spread : float
        BookSim's highest latency less its lowest, as a part of their mean.
    their_residual : float or None
        BookSim's mean latency less the formula for an empty network and the run's own hops, where it prints them.
    residual : float
        Ours likewise.
    """

    name: str
    load: float
    saturation: float | None
    latency: float
    accepted: float
    spread: float
    their_residual: float | None
    ours: float
    ours_accepted: float
    residual: float
    stable: bool

    @property
    def difference(self) -> float:
        """Of the latencies, as a part of BookSim's."""
        return self.ours / self.latency - 1

    @property
    def part(self) -> float:
        """The load as a part of saturation, 0 where that is not known."""
        return self.load / self.saturation if self.saturation else 0.0


def compare(
    names: tuple[str, ...] = (),
    seeds: tuple[int, ...] = SEEDS,
    files: tuple[Path, ...] = (POINTS, OPTIONS),
    cycles: int | None = None,
) -> list[Compared]:
    """Run every supported point, or those of some names, in the order of the files, for `cycles` if given."""
    by_point: dict[tuple[str, float], list[dict[str, Any]]] = {}
    for point in [point for file in files for point in json.loads(file.read_text(encoding="utf-8"))]:
        known = (point["topology"], point["routing"]) in ROUTINGS and point["latency"] is not None
        if known and (not names or point["name"] in names):
            by_point.setdefault((point["name"], point["load"]), []).append(point)
    return [_compared(points, seeds, cycles) for points in by_point.values()]


def relation_of(point: dict[str, Any]) -> Relation:
    """The design of a point."""
    shape, latency = point["topology"], point["link_latency"]
    if shape in NETWORKS:
        network = NETWORKS[shape](point["k"], point["n"], latency=latency)
    else:
        network = getattr(topologies, shape)(*[point["k"]] * point["n"], latency=latency)
    return ROUTINGS[shape, point["routing"]](network, point["vcs"])


def options_of(point: dict[str, Any]) -> dict[str, Any]:
    """What `simulate` is given for a point, beside relation, load and seed."""
    length, bursts = point["packet_length"], point.get("bursts")
    return {
        "packet_length": {int(flits): share for flits, share in length.items()}
        if isinstance(length, dict)
        else length,
        "switching": "wormhole-nonatomic",
        "buffer_depth": point["buffer_depth"],
        "traffic": PATTERNS.get(point["traffic"], point["traffic"]),
        "router": Router(**point.get("router", {})),
        "bursts": None if bursts is None else Bursts(*bursts),
    }


def empty(point: dict[str, Any], hops: float) -> float:
    """Mean latency in an empty network of packets that pass `routers` routers on average."""
    options = options_of(point)
    router, flits = options["router"], mean_length(length_shares(options["packet_length"]))
    allocation = router.vc_allocation_delay, router.switch_allocation_delay
    stages = router.routing_delay + (max if router.speculative else sum)(allocation) + router.traversal_delay
    behind = router.switch_allocation_delay * (flits - 1)
    return float(stages * hops + point["link_latency"] * (hops - 1) + 3 + behind)


def _compared(points: list[dict[str, Any]], seeds: tuple[int, ...], cycles: int | None) -> Compared:
    point, relation = points[0], relation_of(points[0])
    options = {**options_of(point), "measure": cycles and cycles * (BURSTY if "bursts" in point else 1)}
    runs = [simulate(relation, point["load"], seed=seed, **options) for seed in seeds]
    latencies = [p["latency"] for p in points]
    latency, accepted = (float(np.mean([p[what] for p in points])) for what in ("latency", "accepted"))
    beyond = [p["latency"] - empty(p, p["hops"]) for p in points if p["hops"] is not None]
    ours, ours_accepted, hops = (
        float(np.mean([getattr(run, what) for run in runs]))
        for what in ("latency_mean", "accepted_load", "hops_mean")
    )
    return Compared(
        point["name"],
        point["load"],
        point.get("saturation", SATURATION.get(point["name"])),
        latency,
        accepted,
        (max(latencies) - min(latencies)) / latency,
        float(np.mean(beyond)) if beyond else None,
        ours,
        ours_accepted,
        ours - empty(point, hops + 1),
        all(run.stable for run in runs),
    )


def by_name(points: list[Compared]) -> dict[str, list[Compared]]:
    """The points of each design by load, designs as they come."""
    curves: dict[str, list[Compared]] = {}
    for point in points:
        curves.setdefault(point.name, []).append(point)
    return {name: sorted(points, key=lambda p: p.load) for name, points in curves.items()}


def draw(points: list[Compared], path: Path) -> None:
    """Latency and accepted load of designs driven beyond saturation, BookSim's marks over our lines."""
    curves = {name: points for name, points in by_name(points).items() if not all(p.stable for p in points)}
    with _figure(path, (9.6, 3.9), (1, 2)) as ((left, right), inks):
        for ink, points in zip(inks, curves.values(), strict=False):
            _curve(left, ink, points)
            right.plot([p.load for p in points], [p.ours_accepted for p in points], color=ink)
            right.plot([p.load for p in points], [p.accepted for p in points], "o", color=ink, mfc="white")
        left.set(ylim=(20, 120))
        left.legend(frameon=False, fontsize=7.5)
        right.set(ylabel="Accepted load (flits / terminal / cycle)")


def draw_options(points: list[Compared], path: Path) -> None:
    """Latency below saturation of the designs of `PANELS`, as far as they were compared."""
    curves = by_name([p for p in points if p.part < 0.98])
    with _figure(path, (9.6, 10.4), (3, 2)) as (panels, inks):
        for panel, (title, names) in zip(panels.flat, PANELS.items(), strict=True):
            panel.set(title=title, ylim=(15, 110))
            for ink, name in zip(inks, names, strict=False):
                if name in curves:
                    _curve(panel, ink, curves[name])
                    panel.legend(frameon=False, fontsize=7.5)


def _curve(panel: Any, ink: str, points: list[Compared]) -> None:
    steady = [p for p in points if p.stable]
    panel.plot([p.load for p in steady], [p.ours for p in steady], color=ink, label=points[0].name)
    panel.plot([p.load for p in points], [p.latency for p in points], "o", color=ink, mfc="white", markersize=5)
    panel.set(ylabel="Mean packet latency (cycles)")


@contextlib.contextmanager
def _figure(path: Path, size: tuple[float, float], shape: tuple[int, int]) -> Iterator[tuple[Any, tuple[str, ...]]]:
    """Panels to draw in and the colours to draw with; saved at the end."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from unknot.report.picture import STYLE
    from unknot.report.sheet import COLOURS

    with rc_context(STYLE):
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        panels = figure.subplots(*shape)
        yield panels, COLOURS
        for panel in panels.flat:
            panel.set_xlabel("Offered load (flits / terminal / cycle)")
            panel.grid(True, linewidth=0.8)
            panel.spines[["top", "right"]].set_visible(False)
        figure.savefig(path, dpi=110, metadata={"Date": None} if path.suffix == ".svg" else None)


def table(points: list[Compared]) -> str:
    """The comparison as a Markdown table."""
    lines = [
        "| point | load | BookSim latency | ours | difference | less formula | BookSim accepts | ours | we say |",
        "|---|--:|--:|--:|--:|--:|--:|--:|---|",
    ]
    for p in points:
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


def summary(points: list[Compared]) -> str:
    """A row for each design whose saturation is known: beyond the formula when almost empty, then the other loads."""
    lines = [
        "| design | BookSim accepts | almost empty, beyond the formula | loads: BookSim's latency (spread), ours |",
        "|---|--:|--:|---|",
    ]
    for name, (low, *others) in by_name([p for p in points if p.saturation]).items():
        said = [
            f"{p.load:g}: {p.latency:.1f} (±{p.spread / 2:.1%}), {p.difference:+.1%}{', not stable' * (not p.stable)}"
            for p in others
        ]
        cells = [name, f"{low.saturation:.3f}", f"{low.their_residual:.2f}, ours {low.residual:.2f}", "; ".join(said)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(folder: str | None = None) -> None:
    points, options = compare(files=(POINTS,)), compare(files=(OPTIONS,), cycles=CYCLES)
    tables = {"points": table(points), "options": summary(options)}
    print("\n\n".join(tables.values()))
    if folder is None:
        return
    draw(points, Path(folder, "images", "booksim.png"))
    draw_options(points + options, Path(folder, "images", "booksim-options.png"))


if __name__ == "__main__":
    main(*sys.argv[1:2])
