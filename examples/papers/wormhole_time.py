"""The cost model of the paper on wormhole routing, against the simulator: part of ``wormhole.py``."""

from __future__ import annotations

from functools import cache

from unknot.routing import Relation, dimension_order
from unknot.simulation import Run, simulate
from unknot.studies.design import network

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
