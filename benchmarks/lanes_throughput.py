"""What few lanes are worth: routes of OpenSM and ours on the same fabrics, simulated with the same buffers.

``python -m benchmarks.lanes_throughput`` prints the table of docs/lanes.md. OpenSM's routes are those of its tables
in examples/fabrics, unchanged, put into as few lanes as they need; all relations have four VCs per channel.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from unknot.fabrics.reading import read_fabric
from unknot.routing import Relation
from unknot.routing.forwarding_table import fabric_relation
from unknot.simulation import Trace, run_trace, saturation
from unknot.synthesis import changing_lanes, lanes
from unknot.verify import check

FABRICS = Path(__file__).parents[1] / "examples" / "fabrics"
FOLDERS = {
    "torus 8×8": ("opensm-torus8x8-dor", "opensm-torus8x8-updn", "opensm-torus8x8-updn-rooted"),
    "random, 48 switches": ("opensm-random48-updn-rooted", "opensm-random48-lash"),
}
VCS, DEPTH, FLITS = 4, 8, 8


def all_to_all(terminals: int) -> Trace:
    """A message of `FLITS` flits from every terminal to every other, at once; in round i to the i-th after itself."""
    shift, source = (part.reshape(-1) for part in np.divmod(np.arange((terminals - 1) * terminals), terminals))
    nothing = np.zeros(source.size, dtype=np.int64)
    return Trace(
        cycle=nothing,
        source=source,
        destination=(source + shift + 1) % terminals,
        flits=nothing + FLITS,
        delay=nothing,
        need_first=np.zeros(source.size + 1, dtype=np.int64),
        needs=nothing[:0],
    )


def line(fabric: str, routes: str, count: int, highest: float, relation: Relation) -> str:
    """A row of the table."""
    terminals = relation.network.num_terminals
    assert check(relation).deadlock_free
    found = saturation(relation, traffic="uniform_others", tolerance=0.02, buffer_depth=DEPTH)
    traced = run_trace(relation, all_to_all(terminals), buffer_depth=DEPTH)
    assert traced.makespan is not None, traced.reason
    share = (terminals - 1) * FLITS / traced.makespan
    ideal = min(1.0, (terminals - 1) / highest)
    shown = (f"{highest:g}", f"{ideal:.2f}", f"{found.load:.2f}", traced.makespan, f"{share:.2f}")
    cells = (fabric, routes, count, *shown)
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    """Print the table."""
    lanes("ring(5)", "given", routing="shortest_paths")
    lanes("ring(5)", "table")
    print("| fabric | routes | lanes | highest load | ideal | stable up to | all-to-all, cycles | of the ideal |")
    print("|---|---|---|---|---|---|---|---|")
    for fabric, folders in FOLDERS.items():
        for folder in folders:
            read = read_fabric(FABRICS / folder)
            given = fabric_relation(read)
            kept = lanes(given.network, "given", routing=given, vcs=VCS)
            name = f"OpenSM {folder.split('-', 2)[2]}"
            print(line(fabric, name, kept.count, kept.highest_load, kept.relation), flush=True)
        for paths in ("table", "free"):
            ours = lanes(given.network, paths, vcs=VCS)
            print(line(fabric, f"`lanes`, {paths}", ours.count, ours.highest_load, ours.relation), flush=True)
        rising = changing_lanes(given.network, vcs=VCS)
        print(
            line(fabric, "`changing_lanes`, rising", rising.count, rising.highest_load, rising.relation), flush=True
        )


if __name__ == "__main__":
    main()
