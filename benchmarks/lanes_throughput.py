"""What few lanes are worth: routes of OpenSM and ours on the same fabrics, simulated with the same buffers.

``python -m benchmarks.lanes_throughput [FABRIC]`` prints the table of docs/lanes.md, or the rows of one fabric.
OpenSM's routes are those of its tables in examples/fabrics, unchanged, put into as few lanes as they need; for the
random network of 64 switches OpenSM itself is run (Debian's packages opensm, ibsim-utils, infiniband-diags). All
relations have four VCs per channel.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks import opensm
from benchmarks.lanes import network
from unknot.fabrics.reading import read_fabric
from unknot.lane_assignment import changing_lanes, lanes
from unknot.network import Network
from unknot.routing import Relation
from unknot.routing.fabric_relation import fabric_relation
from unknot.simulation import Trace, run_trace, saturation
from unknot.verify import check

FABRICS = Path(__file__).parents[1] / "examples" / "fabrics"
FOLDERS = {
    "torus 8×8": ("opensm-torus8x8-dor", "opensm-torus8x8-updn", "opensm-torus8x8-updn-rooted"),
    "random, 48 switches": ("opensm-random48-updn-rooted", "opensm-random48-lash"),
}
ROUTED = "random, 64 switches"
ENGINES = ("updn", "lash", "dfsssp")
VCS, DEPTH, FLITS = 4, 8, 8


def tables(fabric: str) -> Iterator[tuple[str, Relation]]:
    """OpenSM's routes on a fabric, with their names."""
    for folder in FOLDERS.get(fabric, ()):
        yield folder.split("-", 2)[2], fabric_relation(read_fabric(FABRICS / folder))
    if fabric == ROUTED:
        if opensm.missing():
            print(f"{ROUTED} is left out: apt-get install {' '.join(opensm.missing())}", file=sys.stderr)
            return
        for engine in ENGINES:
            routed = opensm.routed(network("regular(4, 64)"), engine)
            if isinstance(routed, str):
                print(f"{engine}: {routed}", file=sys.stderr)
                continue
            levels = "" if routed.levels is None else f", {opensm.lanes_of(routed)} levels"
            yield f"{engine}{', rooted' if engine == 'updn' else levels}", fabric_relation(routed)


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
    point = saturation(relation, traffic="uniform_others", tolerance=0.02, buffer_depth=DEPTH)
    traced = run_trace(relation, all_to_all(terminals), buffer_depth=DEPTH, switching="wormhole")
    assert traced.makespan is not None, traced.reason
    share = (terminals - 1) * FLITS / traced.makespan
    ideal = min(1.0, (terminals - 1) / highest)
    shown = (f"{highest:g}", f"{ideal:.2f}", f"{point.load:.2f}", traced.makespan, f"{share:.2f}")
    cells = (fabric, routes, count, *shown)
    return f"| {' | '.join(map(str, cells))} |"


def main(chosen: str | None = None) -> None:
    """Print the table."""
    lanes("ring(5)", "given", routing="shortest_paths")
    lanes("ring(5)", "table")
    print("| fabric | routes | lanes | highest load | ideal | stable up to | all-to-all, cycles | of the ideal |")
    print("|---|---|---|---|---|---|---|---|")
    for fabric in (*FOLDERS, ROUTED) if chosen is None else (chosen,):
        built: Network | None = None
        for name, relation in tables(fabric):
            built = relation.network
            kept = lanes(built, "given", routing=relation, vcs=VCS)
            print(line(fabric, f"OpenSM {name}", kept.count, kept.highest_load, kept.relation), flush=True)
        if built is None:
            continue
        for paths in ("table", "free"):
            ours = lanes(built, paths, vcs=VCS)
            print(line(fabric, f"`lanes`, {paths}", ours.count, ours.highest_load, ours.relation), flush=True)
        rising = changing_lanes(built, vcs=VCS)
        print(
            line(fabric, "`changing_lanes`, rising", rising.count, rising.highest_load, rising.relation), flush=True
        )


if __name__ == "__main__":
    main(*sys.argv[1:2])
