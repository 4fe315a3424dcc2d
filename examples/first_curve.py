"""A first latency curve in three commands: is it safe, how does it run, and the whole curve as a page.

Run it with ``python examples/first_curve.py``; ``--quick`` takes short runs.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

STUDY = """
[[design]]
name = "mesh, dimension order"
network = "mesh(8, 8)"
routing = "dimension_order"

[[design]]
name = "torus, Duato"
network = "torus(8, 8)"
routing = "duato"
vcs = 4

[simulation]
loads = {loads}
{cycles}
"""


def unknot(*words: str) -> None:
    """Show a command and what it says."""
    print(f"\n$ unknot {' '.join(words)}", flush=True)
    subprocess.run([sys.executable, "-m", "unknot", *words], check=True)


def main() -> None:
    """Check, simulate, compare."""
    began, quick = time.monotonic(), "--quick" in sys.argv
    folder = Path(tempfile.mkdtemp(prefix="unknot-"))
    study = folder / "curve.toml"
    study.write_text(
        STUDY.format(
            loads="[0.1, 0.3]" if quick else "{ from = 0.05, to = 1.0, step = 0.05 }",
            cycles="warmup = 200\nmeasure = 500" if quick else "",
        )
    )
    short = ["--warmup", "200", "--measure", "500"] if quick else []
    unknot("check", "mesh(8, 8)", "--routing", "dimension_order")
    unknot("simulate", "mesh(8, 8)", "--routing", "dimension_order", "--load", "0.3", *short)
    unknot("run", str(study), "--out", str(folder), "--out", str(folder / "curve.csv"), "--jobs", "1")
    print(f"\ncurves: {folder / 'curve.html'}, rows: {folder / 'curve.csv'}")
    print(f"from nothing to a curve: {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
