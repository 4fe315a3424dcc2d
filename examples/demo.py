"""What `make demo` runs: prove, refute and simulate on a torus, then judge the tables of a real fabric."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
UNKNOT = str(Path(sys.executable).parent / "unknot")
REPORTS = Path("reports")


def step(title: str, *words: str, expected: int) -> None:
    """Run `unknot`, show what it says, and stop the demo when it does not end as it should."""
    print(f"\n== {title}\n$ unknot {' '.join(words)}\n", flush=True)
    code = subprocess.run([UNKNOT, *words], cwd=HERE.parent, check=False).returncode
    if code != expected:
        sys.exit(f"demo: exit code {expected} was expected here, got {code}")


def main() -> None:
    """Both halves of the demo, then where to look."""
    step(
        "Three routings on an 8×8 torus: proofs, a counterexample, latency curves",
        *("run", "examples/torus.toml", "--out", str(REPORTS)),
        expected=0,
    )
    step(
        "The forwarding tables of a fabric that OpenSM routed (exit code 1, they can deadlock, is the right answer)",
        *("audit", "examples/fabrics/opensm-torus8x8-dor", "--out", str(REPORTS / "opensm-torus8x8-dor.html")),
        expected=1,
    )
    print("\n== Reports, to be opened in a browser")
    for name in ("torus.html", "opensm-torus8x8-dor.html"):
        print(HERE.parent / REPORTS / name)


if __name__ == "__main__":
    main()
