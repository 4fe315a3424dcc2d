"""Reading of large dumps: megabytes for each second of processor time, and the largest resident size."""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.audit import fabric as made
from benchmarks.prover import peak
from unknot.fabrics import Fabric, read_fabric
from unknot.fabrics.formats import FORMATS
from unknot.fabrics.opensm_files import write_lfts

FILES = {"opensm-lfts.dump": "lfts", "opensm.fdbs": "fdbs", "fabric.ibnetdiscover": "ibnetdiscover"}


def ibnetdiscover(fabric: Fabric) -> str:
    """The fabric as `ibnetdiscover` prints it."""
    network, hosts = fabric.network, fabric.network.num_terminals
    assert network.ports is not None
    lid = {int(owner): int(lid) for lid, owner in zip(fabric.lids, fabric.owner, strict=True)}
    blocks = []
    cables: list[list[str]] = [[] for _ in range(network.num_routers)]
    for u, v, (p, q) in zip(network.source.tolist(), network.target.tolist(), network.ports.tolist(), strict=True):
        cables[u].append(f'[{p}]\t"S-{v + 1:016x}"[{q}]\t\t# "{network.router_name(v)}" lid {lid[hosts + v]} 4xQDR\n')
    for t, (r, p) in enumerate(zip(network.inject.tolist(), fabric.host_port.tolist(), strict=True)):
        guid = int(fabric.node_guid[t]) + 2**32
        port, name = int(fabric.port_guid[t]), network.terminal_name(t)
        cables[r].append(f'[{p}]\t"H-{guid:016x}"[1]({port:x}) \t\t# "{name}" lid {lid[t]} 4xQDR\n')
        blocks.append(
            f'vendid=0x2c9\ndevid=0xb924\nsysimgguid=0x{guid:x}\ncaguid=0x{guid:x}\nCa\t1 "H-{guid:016x}"\t\t'
            f'# "{name}"\n[1]({port:x}) \t"S-{r + 1:016x}"[{p}]\t\t# lid {lid[t]} lmc 0 "{network.router_name(r)}" '
            f"lid {lid[hosts + r]} 4xQDR\n\n"
        )
    for r, own in enumerate(cables):
        blocks.append(
            f"vendid=0x2c9\ndevid=0xb924\nsysimgguid=0x{r + 1:x}\nswitchguid=0x{r + 1:x}({r + 1:x})\n"
            f'Switch\t{fabric.switch_ports[r]} "S-{r + 1:016x}"\t\t# "{network.router_name(r)}" base port 0 lid '
            f"{lid[hosts + r]} lmc 0\n{''.join(own)}\n"
        )
    return "# Topology file\n" + "".join(blocks)


def fdbs(fabric: Fabric) -> str:
    """The tables with hop counts, all of them 2."""
    assert fabric.tables is not None
    text = []
    for guid, row in zip(fabric.switch_guid.tolist(), fabric.tables.tolist(), strict=True):
        text.append(f"osm_ucast_mgr_dump_ucast_routes: Switch 0x{guid:016x}\nLID    : Port : Hops : Optimal\n")
        text += [f"0x{lid:04X} : {port:03d}  : 02   : yes\n" for lid, port in enumerate(row, start=1)]
    return "".join(text)


def write(folder: Path) -> None:
    """The files of a fabric of 480 switches and 5,760 hosts."""
    fabric = made(480, 12, 12)
    ports = np.concatenate([fabric.node_guid + np.uint64(2**40), fabric.switch_guid])
    fabric = replace(fabric, port_guid=ports)
    (folder / "fabric.ibnetdiscover").write_text(ibnetdiscover(fabric))
    write_lfts(fabric, folder / "opensm-lfts.dump")
    (folder / "opensm.fdbs").write_text(fdbs(fabric))


def once(folder: str, name: str, kind: str) -> tuple[float, float, float, float]:
    """Seconds of reading a file, and of reading the fabric with it; megabytes of the file and at the peak."""
    path = Path(folder) / name
    read: Callable[[Path], object] = FORMATS[kind].read
    begin = time.process_time()
    read(path)
    alone = time.process_time() - begin
    begin = time.process_time()
    read_fabric(Path(folder) / "fabric.ibnetdiscover", None if kind == "ibnetdiscover" else path)
    return alone, time.process_time() - begin, path.stat().st_size / 1e6, peak()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder))
        for name, kind in FILES.items():
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                alone, whole, size, most = pool.apply(once, (folder, name, kind))
            print(
                f"{name}: {size:.0f} MB, {size / alone:.0f} MB/s; joined to its fabric in {whole:.2f} s of processor "
                f"time; largest resident size {most:.0f} MB",
                flush=True,
            )


if __name__ == "__main__":
    main()
