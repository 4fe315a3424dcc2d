"""Seconds that commands take under ``--time-limit``, which holds for the whole command: within 20 % or 2 seconds.

``python -m benchmarks.time_limits`` prints a row for each of `LINES`; words after it choose the lines that contain
one of them. Kernels that are not compiled yet are compiled on the way; ten seconds of that are not counted.
Other work on the machine would lengthen what a clock shows: each command has one processor, and its clock counts
the seconds in which it has had it.
"""

from __future__ import annotations

import os
import resource
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

LINES = (
    "check 'mesh(6)' --routing duato --all-sizes --time-limit 3",
    "check 'torus(16, 16)' --routing duato --vcs 3 --smallest --explain --time-limit 3",
    "check 'hypercube(10)' --routing fully_adaptive --vcs 2 --time-limit 3",
    "check 'mesh(48, 48)' --routing west_first --time-limit 3",
    "design routing 'mesh(6)' --time-limit 5",
    "design routing 'mesh(4)' --symmetry reflections --time-limit 5",
    "lanes regular.edges --time-limit 10",
    "lanes 'torus(40, 40)' --time-limit 10",
    "lanes 'complete(300)' --time-limit 10",
    "lanes 'torus(16, 16)' --changes any --time-limit 5",
    "lanes 'torus(16, 16)' --paths table --changes ports --time-limit 5",
    "lanes 'torus(20, 20)' --lanes 1 --time-limit 5",
    "lanes 'torus(20, 20)' --paths given --routing dimension_order --time-limit 5",
    "lanes 'torus(16, 16)' --paths table --time-limit 5",
    "repair 'complete(150)' --routing shortest_paths --time-limit 5",
    "repair 'torus(12, 12)' --routing fully_adaptive --time-limit 5",
    "permute 'benes(1024)' --random 1 --time-limit 3",
    "permute 'omega(1024)' --random 1 --time-limit 3",
    "analyse 'torus(24, 24)' --routing fully_adaptive --vcs 2 --best --time-limit 3",
    "show 'torus(120, 120)' --time-limit 3",
    "show 'torus(40, 40)' --view whole --out picture.png --time-limit 3",
    "multicast 'torus(16, 16)' --routing duato --operation all_gather --time-limit 3",
    "faults 'torus(12, 12)' --routing up_down --time-limit 3",
    "bnr 'mesh(24, 24)' --routing duato --time-limit 3",
    "itm 'itm(24)' --time-limit 3",
)  # fmt: skip
PATIENCE = 4
"""Time limits after which a command is ended."""

PROGRAM = """
import atexit, time
time.monotonic = time.process_time
from unknot._base.deadline import clock
from unknot.cli.program import main
atexit.register(lambda: open("compiling", "w").write(str(time.monotonic() - clock())))
main()
"""
"""A command whose clock counts seconds of the processor, and that writes down how many it compiled for."""


def network() -> str:
    """A random regular graph of degree 4 with 1,024 routers, as an edge list."""
    import networkx as nx

    return "".join(f"{a} {b}\n" for a, b in nx.random_regular_graph(4, 1024, seed=1).edges)


def measured(line: str, folder: Path) -> tuple[float, str]:
    """Seconds of the processor, and the exit code."""
    words = shlex.split(line)
    (folder / "compiling").write_text("0")
    before, most = _spent(), int(PATIENCE * float(words[-1])) + 60
    with (folder / "output").open("w") as output:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, *words], cwd=folder, stdout=output, stderr=output,
            preexec_fn=lambda: (os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}),
                                resource.setrlimit(resource.RLIMIT_CPU, (most, most))),
        )  # fmt: skip
    took = _spent() - before - float((folder / "compiling").read_text())
    return took, str(done.returncode) if done.returncode >= 0 else "ended"


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    chosen = [line for line in LINES if not sys.argv[1:] or any(word in line for word in sys.argv[1:])]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "regular.edges").write_text(network())
        for line in chosen:
            limit = float(line.split()[-1])
            took, code = measured(line, folder)
            late = took > max(limit + 2, 1.2 * limit)
            print(f"{took:7.1f} {code:>5}  {line}{'   LATE' if late else ''}", flush=True)


if __name__ == "__main__":
    main()
