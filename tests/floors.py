"""Oldest versions of the dependencies named in pyproject.toml: `make floors` installs them and tries commands.

``python -m tests.floors`` prints them as constraints for pip; ``python -m tests.floors PYTHON`` tries the commands
with that interpreter, each in a process of its own, on a fresh cache of compiled kernels.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = ("solving", "plotting", "data")
STUDY = """
[[design]]
name = "ring"
network = "ring(4)"
routing = "dimension_order"

[simulation]
loads = [0.1]
warmup = 100
measure = 500
"""
COMMANDS: tuple[tuple[int, tuple[str, ...]], ...] = (
    (0, ("check", "torus(4, 4)", "--routing", "duato")),
    (1, ("check", "ring(6)", "--routing", "fully_adaptive", "--vcs", "1")),
    (0, ("check", "torus(8, 8)", "--routing", "duato")),
    (0, ("simulate", "mesh(4, 4)", "--routing", "dimension_order", "--load", "0.1", "--measure", "500")),
    (0, ("simulate", "torus(12, 12)", "--routing", "duato", "--load", "0.1", "--measure", "200", "--warmup", "100")),
    (0, ("lanes", "torus(3, 3)")),
    (0, ("design", "routing", "mesh(2)")),
    (0, ("show", "mesh(3, 3)", "--out", "mesh.png")),
    (0, ("run", "study.toml", "--out", "rows.parquet")),
    (0, ("convert", "mesh(3, 3)", "mesh.graphml")),
    (0, ("cache", "clear")),
)
"""Exit codes and commands."""


def floors() -> dict[str, str]:
    """Return the oldest version of every dependency that a user may install."""
    lists = [PROJECT["dependencies"], *(PROJECT["optional-dependencies"][extra] for extra in EXTRAS)]
    pairs = (re.fullmatch(r"([\w.-]+)>=([\w.]+),.*", text) for texts in lists for text in texts)
    return {pair[1]: pair[2] for pair in pairs if pair}


def attempt(python: str) -> int:
    """Try the commands; return how many do not end as they should."""
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "study.toml").write_text(STUDY, encoding="utf-8")
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        for code, words in COMMANDS:
            done = subprocess.run(
                [python, "-m", "unknot", *words], cwd=folder, env=environment, capture_output=True, text=True
            )
            wrong += done.returncode != code
            print(
                f"{done.returncode} {'as it should' if done.returncode == code else f'not {code}:'} {words}",
                flush=True,
            )
            if done.returncode != code:
                print(done.stdout[-2000:], done.stderr[-4000:], flush=True)
    return wrong


def main() -> int:
    if len(sys.argv) > 1:
        return 1 if attempt(sys.argv[1]) else 0
    print("\n".join(f"{name}=={oldest}" for name, oldest in floors().items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
