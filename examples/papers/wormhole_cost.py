"""Sections 1 and 2 of the paper on wormhole routing, what a message costs: each claim with the machine's answer.

Jean-Claude Bermond, Michel Syska: Routage « wormhole » et canaux virtuels. Algorithmique parallèle, Masson, 1992,
pp. 149–158. The simulator runs every message; ``wormhole.py`` has the claims on deadlock, sections 3 to 6.

    python examples/papers/wormhole_cost.py
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from unknot._base.switching import SWITCHINGS
from unknot.fabrics.named import network
from unknot.routing import Relation, dimension_order, hop_number, shortest_paths
from unknot.simulation import Run, TracedMessage, run_trace, simulate
from unknot.verify import check

Answer = tuple[str, str]


def said(held: bool, words: str) -> Answer:
    return ("yes" if held else "no"), words


def latency(hops: int, flits: int, switching: str) -> float:
    """Cycles a message takes from the first router of a line to the last, `hops` channels away, when it is alone."""
    run = on_a_line(hops, flits, switching, 0.002 * flits)
    assert run.latency_p50 is not None
    return run.latency_p50


def spacing(hops: int, flits: int, switching: str, vcs: int) -> float:
    """Cycles between messages that follow each other as closely as they can."""
    return flits / on_a_line(hops, flits, switching, 1.0, vcs).accepted_load


def on_a_line(hops: int, flits: int, switching: str, load: float, vcs: int = 1) -> Run:
    return simulate(
        line_of(hops, vcs), load, packet_length=flits, switching=switching, buffer_depth=max(8, flits),  # type: ignore[arg-type]
        warmup=200, measure=20_000,
    )  # fmt: skip


@cache
def line_of(hops: int, vcs: int) -> Relation:
    return dimension_order(network(f"terminals(line({hops + 1}), inject=[0], eject=[{hops}])"), vcs)


def wormhole_time() -> Answer:
    points = {(d, n): latency(d, n, "wormhole") for d in (1, 2, 4, 8) for n in (1, 4, 16, 64)}
    beta = (points[8, 1] - points[1, 1]) / 7
    tau = (points[1, 64] - points[1, 1]) / 63
    rest = {round(time - d * beta - n * tau, 9) for (d, n), time in points.items()}
    return said(
        len(rest) == 1,
        f"simulated for d = 1 … 8 and L = 1 … 64 flits: T = {beta:g} d + {tau:g} L + {rest.pop():g} to the cycle; "
        "the constant is injection and ejection, which the paper's model leaves out",
    )


def pipelined_time() -> Answer:
    hop = {n: latency(3, n, "saf") - latency(2, n, "saf") for n in (4, 8, 16, 32)}
    beta = hop[8] - 8
    linear = all(cycles == beta + n for n, cycles in hop.items())
    one, two = ({n: spacing(4, n, "saf", vcs) for n in (8, 32)} for vcs in (1, 2))
    return "only when" if linear else "no", (
        f"a packet of n flits takes β + nτ = {beta:g} + n cycles for every hop, so the first takes d (β + (L/P) τ). "
        f"Further packets of 8 and 32 flits come {two[8]:.1f} and {two[32]:.1f} cycles apart, that is β + nτ, when a "
        f"channel has room for two packets; with room for one they come {one[8]:.1f} and {one[32]:.1f} apart, since "
        "a packet must have left before the next one can come"
    )


def wormhole_wins() -> Answer:
    rows = [(n, latency(8, n, "wormhole"), latency(8, n, "saf")) for n in (1, 8, 64)]
    return said(
        all(w <= s for _, w, s in rows) and rows[-1][2] > 5 * rows[-1][1],
        "8 hops, wormhole against store-and-forward: "
        + ", ".join(f"{n} flits {w:.0f} and {s:.0f} cycles" for n, w, s in rows),
    )


def cut_through_is_the_same() -> Answer:
    held = all(latency(d, n, "vct") == latency(d, n, "wormhole") for d in (1, 4) for n in (1, 8, 32))
    return said(held, "the same latency to the cycle for a message alone; it then needs a buffer for all of it")


def source_is_freed() -> Answer:
    """A message from router 1 to the end of a line is stopped by a long one; when can router 1 send the other way?"""
    line = network("line(9)")
    freed = {}
    for flits in (8, 24, 48, 56, 120):
        sends = TracedMessage(0, 7, 8, 400), TracedMessage(0, 1, 8, flits), TracedMessage(0, 1, 0, 8)
        done = run_trace(dimension_order(line), sends, switching="wormhole", in_order=True)
        freed[flits] = int(done.injected[2]), int(done.arrived[1])
    early = [flits for flits, (start, received) in freed.items() if start < 100]
    late = [flits for flits, (start, received) in freed.items() if start > 300]
    return said(
        all(start < received for start, received in freed.values()) and max(early) == 48 and min(late) == 56,
        "8 flits a channel and 6 channels up to where it is stopped, so 48 flits of room: "
        + ", ".join(f"{n} flits, free at {start}, received at {received}" for n, (start, received) in freed.items())
        + ". What fits on the way frees its source while it stands, what does not holds it until it moves again",
    )


def ordered_buffers() -> Answer:
    ring = network("ring(6, directed=true)")
    one, ordered = (make(ring) for make in (shortest_paths, hop_number))
    stuck = {s: check(one, s).deadlock_free for s in SWITCHINGS}
    free = {s: check(ordered, s).deadlock_free for s in SWITCHINGS}
    return "only when" if not any(stuck.values()) and all(free.values()) else "no", (
        "the buffers of a channel share it a message at a time: then what blocks is the channel, and on the one-way "
        "ring of 6 a channel each deadlocks under every technique. Buffers ordered by the hops made, each with flits "
        "of its own on the channel, are virtual channels, and those do help: with as many as the diameter has hops "
        "(proposition 5.1) nothing deadlocks, worms no more than stored packets"
    )


CLAIMS: list[tuple[str, Callable[[], Answer]]] = [
    ("1: virtual cut-through is the same as wormhole as long as nothing is blocked", cut_through_is_the_same),
    ("1: a short message frees its source before it is received", source_is_freed),
    ("1: ordered buffers do not help against deadlock as with store-and-forward", ordered_buffers),
    ("Proposition 2.1: T = d β + L τ in wormhole mode", wormhole_time),
    ("2: store-and-forward in P packets takes (d + P − 1)(β + (L/P) τ)", pipelined_time),
    ("2: wormhole routing beats store-and-forward for long messages", wormhole_wins),
]


def main() -> None:
    for claim, ask in CLAIMS:
        answer, why = ask()
        print(f"{answer:<10}{claim}\n          {why}", flush=True)


if __name__ == "__main__":
    main()
