"""`unknot audit` and `unknot repair` on the files of 9,990 hosts: processor seconds and largest resident size."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.audit import fabric as up_down
from benchmarks.reading import ibnetdiscover
from unknot.fabrics import Fabric
from unknot.fabrics.opensm_files import write_lfts
from unknot.network import distances_from


def balanced(fabric: Fabric) -> Fabric:
    """The fabric with shortest paths, the destinations spread over the ports: tables that can deadlock."""
    network, tables = fabric.network, np.array(fabric.tables)
    assert network.ports is not None
    home = np.concatenate([network.eject, np.arange(network.num_routers)])
    away = np.array([distances_from(network, r) for r in range(network.num_routers)])
    first, leaving = network.outgoing
    for r in range(network.num_routers):
        channels = leaving[first[r] : first[r + 1]]
        closer = away[network.target[channels]] == away[r] - 1
        number = closer.cumsum(axis=0) - 1
        chosen = (np.arange(home.size) % np.maximum(closer.sum(axis=0)[home], 1))[None, :]
        port = network.ports[channels, 0][((number[:, home] == chosen) & closer[:, home]).argmax(axis=0)]
        tables[r] = np.where(home == r, tables[r], port)
    return replace(fabric, tables=tables)


def measured(words: list[str]) -> str:
    """Run a command, and say what it took."""
    begin = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "unknot", *words], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    return (
        f"{used.ru_utime + used.ru_stime:.1f} s of processors, {time.perf_counter() - begin:.0f} s, "
        f"{used.ru_maxrss / 1e3:.0f} MB, exit code {os.waitstatus_to_exitcode(status)}"
    )


def write(scratch: str) -> None:
    """Write a folder with safe tables and one with unsafe ones."""
    safe = up_down(270, 18, 37)
    safe = replace(safe, port_guid=np.concatenate([safe.node_guid + np.uint64(2**40), safe.switch_guid]))
    for name, made in (("safe", safe), ("unsafe", balanced(safe))):
        folder = Path(scratch) / name
        folder.mkdir()
        (folder / "fabric.ibnetdiscover").write_text(ibnetdiscover(made))
        write_lfts(made, folder / "opensm-lfts.dump")


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        # Another process writes: what this one holds would count as the commands' own.
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            pool.apply(write, (scratch,))
        for name in ("safe", "unsafe"):
            print(f"audit, {name} tables: {measured(['audit', f'{scratch}/{name}'])}", flush=True)
        out = Path(scratch) / "out"
        print(f"repair: {measured(['repair', f'{scratch}/unsafe', '--out', str(out)])}", flush=True)
        files = [path for path in out.rglob("*") if path.is_file()]
        print(", ".join(f"{path.relative_to(out)} {path.stat().st_size:,}" for path in files) or "no folder")


if __name__ == "__main__":
    main()
