"""Deadlock and fewest virtual networks of gem5's coherence protocols, a row each.

``python -m benchmarks.gem5_protocols FOLDER [CACHES [KIND]]`` asks `check_table` about each `.slicc` file of a
checkout of gem5, with cores of a kind idle (DMA) if one is named; files stay where they are.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from unknot._base.work import counting_work
from unknot.verify.controllers import check_table, load_slicc
from unknot.verify.controllers.words import virtual_networks

LIMIT = 60.0
"""Work for each, in seconds of the reference machine, as the command has by default."""
PROTOCOLS = (
    "src/mem/ruby/protocol/MI_example.slicc",
    "src/learning_gem5/part3/MSI.slicc",
    "src/mem/ruby/protocol/MESI_Two_Level.slicc",
    "src/mem/ruby/protocol/MOESI_CMP_directory.slicc",
    "src/mem/ruby/protocol/MOESI_hammer.slicc",
    "src/mem/ruby/protocol/chi/CHI.slicc",
)


def main(folder: str, caches: int = 3, idle: str = "") -> None:
    """Print the rows as a table in Markdown."""
    print("| protocol | answer | virtual networks | states | processor time |\n|---|---|---|---|---|")
    for name in PROTOCOLS:
        began = time.process_time()
        with counting_work():
            table = load_slicc(str(Path(folder) / name))
            cores = [kind.name for kind in table.kinds if kind.core]
            verdict = check_table(table.idle({idle} & {*cores}), caches=caches, time_limit=LIMIT)
        seconds = time.process_time() - began
        networks = virtual_networks(verdict)
        states = f"{verdict.states:,}" + ("" if verdict.whole else " and more")
        said = f"{verdict.answer}: {verdict.established}"
        print(f"| {Path(name).stem} | {said} | {networks} | {states} | {seconds:.1f} s |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:3]), *sys.argv[3:])
