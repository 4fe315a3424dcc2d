"""What `make demo` runs: prove, refute and simulate on a torus, then judge the tables of a real fabric.

``python examples/demo.py --quick`` takes the same study on a 4×4 torus with two loads, two points at a time, and
writes into a temporary folder.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
UNKNOT = str(Path(sys.executable).parent / "unknot")
TORUS = HERE / "torus.toml"
SMALL = {
    "title": '"Routing on a 4×4 torus"',
    "network": '"torus(4, 4)"',
    "loads": "[0.1, 0.3]",
    "warmup": "100",
    "measure": "25000",
}
"""Lines of the study that `--quick` replaces, by key.

Shorter runs would be left to threads; these start processes, as long studies do.
"""


def step(title: str, *words: str, expected: int) -> None:
    """Run `unknot`, show what it says, and stop the demo when it does not end as it should."""
    print(f"\n== {title}\n$ unknot {' '.join(words)}\n", flush=True)
    code = subprocess.run([UNKNOT, *words], cwd=HERE.parent, check=False).returncode
    if code != expected:
        sys.exit(f"demo: exit code {expected} was expected here, got {code}")


def small_study(folder: Path) -> Path:
    """Write the study with the lines of `SMALL` in place of its own."""
    text = TORUS.read_text(encoding="utf-8")
    for key, value in SMALL.items():
        text, replaced = re.subn(rf"^{key} = .*$", f"{key} = {value}", text, flags=re.M)
        if replaced != 1:
            sys.exit(f"demo: one line `{key} = …` was expected in {TORUS}, there are {replaced}")
    path = folder / TORUS.name
    path.write_text(text, encoding="utf-8")
    return path


def main() -> None:
    """Both halves of the demo, then where to look."""
    quick = "--quick" in sys.argv
    reports = Path(tempfile.mkdtemp(prefix="unknot-")) if quick else Path("reports")
    study = str(small_study(reports)) if quick else "examples/torus.toml"
    step(
        f"Three routings on {'a 4×4' if quick else 'an 8×8'} torus: proofs, a counterexample, latency curves",
        *("run", study, "--out", str(reports), *(("--jobs", "2") if quick else ())),
        expected=0,
    )
    step(
        "The forwarding tables of a fabric that OpenSM routed (exit code 1, they can deadlock, is the right answer)",
        *("audit", "examples/fabrics/opensm-torus8x8-dor", "--out", str(reports / "opensm-torus8x8-dor.html")),
        expected=1,
    )
    print("\n== Reports, to be opened in a browser")
    for name in ("torus.html", "opensm-torus8x8-dor.html"):
        print(HERE.parent / reports / name)


if __name__ == "__main__":
    main()
