"""Five fabrics side by side, simulated, whole and with 1 and 5 % of the links failed.

Dollars per host, verdict and VCs, what the routing and any routing carry of their worst permutations, saturation
under uniform traffic, and the cycles of an all-to-all and an all-reduce, all by `unknot.studies.comparison`. With
failed links the routing is that of the fabric if it still delivers, or else lanes. Run it with
``python examples/cluster.py``, for about 70 endpoints each; ``--large`` takes about 256, ``--huge`` about 1,000
(collective operations by a model), ``--quick`` tiny ones. With ``--store FILE.sqlite`` it goes on where it was
stopped; ``--out FILE.html`` writes the report.
"""

from __future__ import annotations

import argparse
import time

from unknot.report import write_comparison_report
from unknot.studies.comparison import compared, estimated_seconds

FABRICS = {
    "quick": (
        "fat_tree(4, 2) by nca", "dragonfly(2) by dragonfly_minimal", "hyperx([3, 3], 1) by hyperx_dimwar(vcs=4)",
        "slim_fly(3, 1)", "torus(4, 4) by duato",
    ),
    "": (
        "fat_tree(4, 3) by nca", "dragonfly(4, 2, 2) by dragonfly_minimal",
        "hyperx([4, 4], 4) by hyperx_dimwar(vcs=4)",
        "slim_fly(5, 1)", "torus(8, 8) by duato",
    ),
    "large": (
        "fat_tree(6, 3) by nca", "dragonfly(6, 3, 3) by dragonfly_minimal",
        "hyperx([8, 8], 4) by hyperx_dimwar(vcs=4)", "slim_fly(7, 3)", "torus(16, 16) by duato",
    ),
    "huge": (
        "fat_tree(10, 3) by nca", "dragonfly(8, 4, 4) by dragonfly_minimal",
        "hyperx([16, 16], 4) by hyperx_dimwar(vcs=4)", "slim_fly(13, 3)", "torus(32, 32) by duato",
    ),
}  # fmt: skip
"""Designs by size."""
FAILED = (0.0, 0.01, 0.05)


def main() -> None:
    """Print a row for each fabric and share of failed links as soon as it is known."""
    words = argparse.ArgumentParser(description="Five fabrics side by side.")
    for name in filter(None, FABRICS):
        words.add_argument(f"--{name}", dest="size", action="store_const", const=name, default="")
    words.add_argument("--store")
    words.add_argument("--out")
    options = words.parse_args()
    began, designs = time.monotonic(), FABRICS[options.size]
    shares = FAILED[:: 2 if options.size == "quick" else 1]
    print(f"about {estimated_seconds(designs, shares):.0f} s of a processor for {len(designs) * len(shares)} rows")
    print(
        f"{'fabric':44} {'ends':>4} {'failed':>6} {'per host':>8} {'safe':>5} {'VCs':>3} {'worst':>6} {'at most':>7}",
        end="",
    )
    print(f" {'saturation':>10} {'all-to-all':>10} {'all-reduce':>10}  routing")
    rows = []
    for row in compared(designs, shares, simulated=True, store=options.store):
        rows.append(row)
        safe = {True: "yes", False: "no", None: "?"}[row.deadlock_free]
        print(
            f"{row.design:44} {row.terminals:4} {row.failed:6.0%} {row.cost_per_host:8,.0f} {safe:>5} {row.vcs:3} "
            f"{row.adversarial:6.2f} {row.adversarial_bound:7.2f} {row.saturation or 0:10.2f} "
            f"{row.all_to_all or 0:10} {row.all_reduce or 0:10}"
            f"  {row.routing}",
            flush=True,
        )
    if options.out:
        write_comparison_report(rows, options.out)
    print(f"cycles of blocks of 4 flits; from nothing to a table: {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
