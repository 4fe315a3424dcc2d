"""Every step of a packet in BookSim, recorded for `tests/booksim/test_steps.py`.

``python -m benchmarks.booksim_routes CLONE`` takes a clone of booksim/booksim2 in which make was run, compiles
``booksim_routes.cpp`` there, lets it send packets with every routing function until no new step is seen, and writes
``tests/cases/booksim_routes.json``.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.booksim.steps import CASES, Row, summary

FIRST, MOST = 100, 10**6
"""Packets from each node to each other, to begin with and at most."""


def compiled(clone: Path, folder: Path) -> Path:
    """Compile the program against the object files of the clone."""
    source, program = (clone / "src").resolve(), folder / "routes"
    objects = [str(path) for path in sorted(source.rglob("*.o")) if path.name != "main.o"]
    include = [f"-I{source / part}" for part in ("", "networks", "routers", "allocators", "arbiters", "power")]
    code = Path(__file__).with_suffix(".cpp")
    subprocess.run(["g++", "-O2", *include, str(code), *objects, "-o", str(program)], check=True)
    return program


def walked(program: Path, keys: str, packets: int) -> tuple[set[Row], list[Row], list[Row]]:
    """Steps, channels and nodes; routers are numbered as they come, where BookSim leaves numbers out."""
    with TemporaryDirectory() as folder:
        config = Path(folder) / "config"
        config.write_text("seed = 1;\n")
        command = [str(program), str(config), *keys.split(";"), f"walks={packets}"]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows: dict[str, list[Row]] = {"r": [], "c": [], "n": [], "s": []}
    for line in text.partition("\nroutes\n")[2].splitlines():
        kind, *numbers = line.split()
        rows[kind].append(tuple(map(int, numbers)))
    number = {old: new for new, (old,) in enumerate(sorted(rows["r"]))} | {-1: -1}
    steps = {(to, number[a], number[b], vc, number[c], out) for to, a, b, vc, c, out in rows["s"]}
    channels = [(number[a], number[b], latency) for a, b, latency in rows["c"]]
    return steps, channels, [(node, number[a], number[b]) for node, a, b in rows["n"]]


def main() -> None:
    recorded = {}
    with TemporaryDirectory() as folder:
        program = compiled(Path(sys.argv[1]), Path(folder))
        for keys in CASES:
            packets, before = FIRST, -1
            walks = walked(program, keys, packets)
            while len(walks[0]) > before and packets < MOST:
                packets, before = 5 * packets, len(walks[0])
                walks = walked(program, keys, packets)
            recorded[keys] = summary(*walks)
            print(packets, recorded[keys]["steps"], keys, flush=True)
    path = Path(__file__).parents[1] / "tests" / "cases" / "booksim_routes.json"
    path.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
