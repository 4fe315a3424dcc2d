"""The fewest lanes of many networks, and the lowest loads in them: docs/lanes-table.csv, and a page on it.

``python -m benchmarks.lanes_table docs/lanes-table.md`` writes both; without a file they are printed. It needs the
package topohub for the backbones of operators (``pip install 'unknot[bench]'``); without it these are left out, and
no page is written. Names of networks select those that begin with them:
``python -m benchmarks.lanes_table kautz ring``.
"""

from __future__ import annotations

import csv
import io
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import networkx as nx
import numpy as np

from benchmarks.lanes import kind, network
from unknot._base import deadline
from unknot.fabrics.reading import read_network
from unknot.lane_assignment import changing_lanes, lanes
from unknot.network import Network, from_networkx

FABRICS = Path(__file__).parents[1] / "examples" / "fabrics"
TORI = (
    (3, 3), (4, 4), (5, 5), (6, 6), (7, 7), (8, 8), (3, 4), (4, 8), (3, 9), (3, 3, 3), (4, 4, 4), (3, 4, 5),
)  # fmt: skip
TEXTS = {
    "Rings, hypercubes and complete graphs": (
        "ring(5)", "ring(6)", "ring(7)", "ring(8)", "ring(12)", "ring(16)", "ring(33)", "ring(64)",
        "chordal_ring(16, [5, -5])", "hypercube(3)", "hypercube(4)", "hypercube(5)", "hypercube(6)", "complete(8)",
    ),
    "Slim Flies and dragonflies": (
        "slim_fly(5)", "dragonfly(2, 4, 1)", "dragonfly(2, 4, 2)", "dragonfly(1, 4, 4)",
        "dragonfly(2, 6, 3)",
    ),
    "Kautz and de Bruijn networks": (
        "kautz(2, 2)", "kautz(2, 3)", "kautz(2, 4)", "kautz(2, 5)", "kautz(3, 2)", "kautz(3, 3)",
        "de_bruijn(2, 3)", "de_bruijn(2, 4)", "de_bruijn(2, 5)", "de_bruijn(2, 6)", "de_bruijn(3, 3)",
    ),
    "Other graphs": (
        "petersen()", "cube_connected_cycles(3)", "star_graph(4)", "shuffle_exchange(4)",
        *(f"irregular({size}, 4, 1, seed={seed})" for seed in range(4) for size in (24, 48)),
    ),
}  # fmt: skip
BACKBONES = (
    "topozoo/Abilene", "topozoo/Bellcanada", "topozoo/BtNorthAmerica", "topozoo/Chinanet", "topozoo/Dfn",
    "topozoo/Geant2012", "topozoo/HiberniaGlobal", "topozoo/Iris", "topozoo/Surfnet", "topozoo/Uunet",
)  # fmt: skip
LARGER = "Larger networks"
LARGER_TEXTS = (
    "torus(10, 10)", "torus(16, 16)", "torus(6, 6, 6)", "hypercube(7)", "hypercube(8)", "regular(3, 128)",
    "regular(4, 128)", "regular(8, 128)", "slim_fly(7)", "slim_fly(11)", "dragonfly(4, 8, 4)", "kautz(2, 6)",
    "de_bruijn(2, 7)",
)  # fmt: skip
LARGER_BACKBONES = (
    "topozoo/Latnet", "topozoo/TataNld", "topozoo/Ulaknet", "topozoo/Uninett2010", "topozoo/VtlWavenet2011",
)  # fmt: skip
LIMIT = 20.0
"""Seconds of the processor for each search."""
MOST = 65
"""Most routers of a network that is not among the larger ones."""
HEAD = ("family", "network", "routers", "lanes", "at least", "highest load", "load at least")
HEAD += ("lanes that rise", "rising at least", "seconds")
ABOUT = """# Lanes of many networks

**Proof shows the fewest lanes for shortest paths without deadlock on nearly every network of up to 65 routers: one to
four** ([Lanes](lanes.md)).

{summary}

The separate checker accepted all lower bounds, by a cycle of forced turns (cycle), or by clauses with a proof
(refutation). Each search ended after {limit:.0f} seconds of the processor. `regular(d, n)` is the random d-regular
graph of NetworkX on n routers with seed 1; backbones are from the package topohub. `python -m benchmarks.lanes_table
docs/lanes-table.md` measures the [table](lanes-table.csv) anew.

```{{csv-table}}
:file: lanes-table.csv
:header-rows: 1
```
"""


@dataclass(frozen=True)
class Row:
    """What was found of a network."""

    family: str
    routers: int
    proved: bool
    load_proved: bool
    rising_proved: bool
    fewer: bool
    cells: tuple[str, ...]


def networks() -> Iterator[tuple[str, Network]]:
    """All networks, with their families."""
    for sides in TORI:
        yield "Tori", network(f"torus({', '.join(map(str, sides))})")
    for side in (4, 6, 8):
        whole = network(f"mesh({side}, {side})")
        yield "Meshes, whole and with holes", whole
        for hole in (side + 1, 2 * side + 2, side * side // 2 + side // 2):
            left = whole.without(routers=[hole])
            yield "Meshes, whole and with holes", named(left, f"{whole.name} without {whole.router_name(hole)}")
    for degree in range(3, 9):
        for routers in (16, 24, 32, 48, 64):
            yield "Random regular graphs", network(f"regular({degree}, {routers})")
    for family, texts in TEXTS.items():
        for text in texts:
            yield family, network(text)
    for text in ("fat_tree(2, 4)", "fat_tree(4, 2)"):
        whole = network(text)
        yield "Fat trees, whole and degraded", whole
        for seed in range(2):
            yield "Fat trees, whole and degraded", degraded(whole, seed)
    for folder, file in (
        ("ibutils-65sw", "opensm-subnet.lst"),
        ("opensm-leafspine-degraded-ftree", "fabric.ibnetdiscover"), ("opensm-random48-lash", "fabric.ibnetdiscover"),
        ("opensm-ring12-lash", "fabric.ibnetdiscover"),
    ):  # fmt: skip
        yield "Fabrics", named(read_network(FABRICS / folder / file), folder)
    yield from backbones(BACKBONES, "Backbones")
    for text in LARGER_TEXTS:
        yield LARGER, network(text)
    yield LARGER, named(read_network(FABRICS / "ibutils-rhino512" / "opensm-subnet.lst.gz"), "ibutils-rhino512")
    yield from backbones(LARGER_BACKBONES, LARGER)


def named(built: Network, name: str) -> Network:
    """The same network by another name."""
    return Network(name, built.num_routers, built.source, built.target, inject=built.inject, eject=built.eject)


def degraded(whole: Network, seed: int) -> Network:
    """A network that lost a tenth of its links, and is still connected."""
    links = sorted(
        {(min(s, t), max(s, t)) for s, t in zip(whole.source.tolist(), whole.target.tolist(), strict=True)}
    )
    random = np.random.default_rng(seed)
    while True:
        gone = {links[i] for i in random.choice(len(links), max(1, len(links) // 10), replace=False)}
        ends = zip(whole.source.tolist(), whole.target.tolist(), strict=True)
        channels = [c for c, (s, t) in enumerate(ends) if (min(s, t), max(s, t)) in gone]
        left = whole.without(channels=channels)
        graph = nx.Graph(zip(left.source.tolist(), left.target.tolist(), strict=True))
        if len(graph) == whole.num_routers and nx.is_connected(graph):
            return named(left, f"{whole.name} without {len(gone)} links ({seed})")


def backbones(keys: Sequence[str], family: str) -> Iterator[tuple[str, Network]]:
    """Backbones of operators; none without topohub."""
    try:
        import topohub
    except ImportError:
        print("backbones are left out: pip install 'unknot[bench]'", file=sys.stderr)
        return
    if family != LARGER:
        folder = Path(topohub.__file__).parent / "data" / "sndlib"
        keys = (*(f"sndlib/{file.stem}" for file in sorted(folder.glob("*.json"))), *keys)
    for key in keys:
        graph = nx.Graph(nx.node_link_graph(topohub.get(key), edges="edges"))
        graph = nx.convert_node_labels_to_integers(graph)
        if (len(graph) > MOST) == (family == LARGER) and nx.is_connected(graph):
            yield family, from_networkx(nx.Graph(graph.edges), name=key)


def row(family: str, built: Network, limit: float) -> Row:
    """Search for lanes of both kinds."""
    began = time.process_time()
    kept = lanes(built, time_limit=limit)
    rising = changing_lanes(built, time_limit=limit) if kept.count > 1 else None
    seconds = time.process_time() - began
    rises = (str(rising.count), f"{rising.lower_bound}{kind(rising)}") if rising is not None else ("1", "1")
    bounds = (f"{kept.lower_bound}{kind(kept)}", f"{kept.highest_load:g}", f"{kept.load_bound:g}")
    cells = (built.name, str(built.num_routers), str(kept.count), *bounds, *rises, f"{seconds:.1f}")
    fewest = kept.fewest and kept.evidence_holds is not False
    rising_fewest = rising is None or (rising.fewest and rising.evidence_holds is not False)
    fewer = rising is not None and rising.count < kept.count
    load_lowest = fewest and kept.load_gap == 0 and kept.load_bound_holds is True
    return Row(family, built.num_routers, fewest, load_lowest, rising_fewest, fewer, cells)


def summary(rows: list[Row]) -> str:
    """How many were proved, in words."""
    lines = []
    for text, group in (
        (f"networks of up to {MOST} routers", [one for one in rows if one.family != LARGER]),
        ("larger networks", [one for one in rows if one.family == LARGER]),
    ):
        kept, rising = sum(one.proved for one in group), sum(one.rising_proved for one in group)
        loads, fewer = sum(one.load_proved for one in group), sum(one.fewer for one in group)
        lines.append(
            f"- Of {len(group)} {text} {kept} have a proof of the fewest lanes that packets keep, and {loads} of the "
            f"lowest load in these lanes too.\n  If packets may rise to higher lanes, {rising} have a proof, and "
            f"{fewer} need fewer lanes."
        )
    return "\n".join(lines)


def table(rows: list[tuple[str, ...]]) -> str:
    """Return all rows, each a family and the cells of a network, as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([HEAD, *rows])
    return text.getvalue()


def page(rows: list[Row]) -> str:
    """The page, as Markdown."""
    return ABOUT.format(summary=summary(rows), limit=LIMIT)


def main(words: list[str] | None = None) -> None:
    """Print the page, or write it."""
    words = [] if words is None else words
    files = [Path(word) for word in words if word.endswith(".md")]
    chosen = [word for word in words if not word.endswith(".md")]
    if files:
        import topohub  # noqa: F401
    deadline.compiling.clock = time.process_time  # type: ignore[method-assign]
    lanes("torus(5, 5)")
    changing_lanes("ring(5)")
    rows = []
    for family, built in networks():
        if not chosen or built.name.startswith(tuple(chosen)):
            rows.append(row(family, built, LIMIT))
            print(*rows[-1].cells, file=sys.stderr, flush=True)
    if files:
        files[0].write_text(page(rows), encoding="utf-8")
        files[0].with_suffix(".csv").write_text(table([(one.family, *one.cells) for one in rows]), encoding="utf-8")
    else:
        print(page(rows))


if __name__ == "__main__":
    main(sys.argv[1:])
