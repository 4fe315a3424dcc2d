"""Why does it hang? Nodes run a chunk of an all-reduce at a time in each dimension and start phases by arrival.

Each chunk is reduced in the first dimension, then in the second, and gathered back in the first. A node that is fast
in the second dimension gathers the old chunk before it reduces the next one, a slow one reduces the next one first,
and both hold the only slot of the dimension while they wait for each other.
Run it with ``python examples/hangs/chunks.py``.
"""

from __future__ import annotations

import time
from dataclasses import replace

from unknot.verify.phases import PhasedChunks, PhaseState, check_phases, replayed


def draw(system: PhasedChunks, state: PhaseState) -> None:
    """Print the grid of nodes with the chunks that each runs and holds back, and who waits for whom."""
    for node, at in enumerate(system.nodes):
        for dimension, queue in enumerate(state.queues[node]):
            if not queue:
                continue
            running = system.running(state, node, dimension)
            held = [chunk for chunk in queue if chunk not in running]
            print(f"  node {at}, dimension {dimension}: runs {list(running)}, holds back {held}")
            for chunk in running:
                others = ", ".join(str(system.nodes[other]) for other in system.missing(state, node, chunk))
                print(f"    phase {state.phase[node][chunk]} of chunk {chunk} waits for {others}")


def main() -> None:
    """Show the smallest deadlock, and the fewest slots for a torus of 4 x 4 x 8 and four chunks."""
    began = time.monotonic()
    smallest = PhasedChunks((2, 2), chunks=2)
    verdict = check_phases(smallest)
    print(f"2 x 2 nodes, 2 chunks, 1 at a time: {verdict.reason}, after {len(verdict.run)} steps")
    draw(smallest, replayed(smallest, verdict.run))

    print("\n4 x 4 x 8 nodes, plain or twisted torus, 4 chunks issued together, by slots in each dimension:")
    torus = PhasedChunks((4, 4, 8), chunks=4, together=True)
    for slots in range(1, 5):
        system = replace(torus, slots=slots)
        verdict = check_phases(system)
        if verdict.deadlock_free:
            print(f"  {slots}: free, since {verdict.reason}")
        else:
            state = replayed(system, verdict.run)
            end = "it moves" if any(system.moves(state)) else "nothing moves"
            print(f"  {slots}: deadlock in {len(verdict.run)} steps; replayed, {end}")
    ordered = check_phases(replace(torus, fixed_order=True))
    print(f"  1, all nodes in one order: free, since {ordered.reason}")
    print(f"\n{time.monotonic() - began:.1f} s")


if __name__ == "__main__":
    main()
