"""The smallest counterexamples to what the paper on RCBN claims, drawn as SVG; ``rcbn.py`` has the claims.

python examples/papers/rcbn_figures.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from methods.disjoint import disjoint_paths
from methods.fault_sweeps import worst_faults
from rcbn import stuck_permutation

from unknot.network import Network
from unknot.report.picture import Drawing, write_picture
from unknot_papers.multistage import (
    Marks,
    Realisation,
    count_paths,
    marked,
    permute,
    permute_with_faults,
)
from unknot_papers.multistage.drawing import draw_realisation
from unknot_papers.rcbn import composite_banyan, rcbn


def figures(folder: Path) -> list[Path]:
    """Draw the smallest counterexamples as SVG."""
    folder.mkdir(parents=True, exist_ok=True)
    eight, sixteen = rcbn(8), rcbn(16)
    one, two = Marks.of(eight, ["s1r0"]), Marks.of(sixteen, ["s1r0", "s1r1"])
    far = worst_faults(sixteen, 1).marks
    stuck, _ = stuck_permutation()
    ends = np.zeros(2, dtype=np.int32), np.full(2, 8, dtype=np.int32)
    apart = Realisation(sixteen, *ends, None, "", "", disjoint_paths(sixteen, 0, 8))
    drawings = {
        "composite-banyan-blocks": draw_realisation(permute(composite_banyan(4), "0 1 - -")),
        "two-disjoint-paths": draw_paths(apart),
        "level-by-level-stuck": draw_realisation(permute(sixteen, stuck)),
        "one-dead-switch": draw_realisation(permute_with_faults(eight, "2 3 - - - - - -", one)),
        "no-permutation-passes": draw_realisation(permute_with_faults(sixteen, range(16), two)),
        "pair-cut-off": draw_realisation(permute_with_faults(sixteen, cut_off(sixteen, far), far)),
    }
    paths = []
    for name, drawing in drawings.items():
        paths.append(folder / f"rcbn-{name}.svg")
        write_picture(drawing, paths[-1])
    return paths


def draw_paths(apart: Realisation) -> Drawing:
    """Two paths of one pair that share no link: all there are."""
    realisation = Realisation(
        apart.network, apart.sources, apart.destinations, True, "maximum flow",
        "0 → 8: two paths share no link, and there is no third", apart.paths,
    )  # fmt: skip
    return draw_realisation(realisation)


def cut_off(network: Network, marks: Marks) -> list[int]:
    """One message, of a pair without a path."""
    left = marked(network, marks)
    s, d = np.argwhere(count_paths(left) == 0)[0].tolist()
    return [d if k == s else -1 for k in range(network.num_terminals)]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python examples/papers/rcbn_figures.py FOLDER")
    for path in figures(Path(sys.argv[1])):
        print(path)
