"""A fabric simulated by `ibsim` and run by the real OpenSM, for as long as it takes to look at it."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from unknot.fabrics.managed.path_records import asking, collect
from unknot.fabrics.managed.simulated import PRELOADED, Simulated, program_path, simulated
from unknot.fabrics.opensm_levels import write_psl
from unknot.fabrics.reading import read_fabric

NEEDED = {
    "opensm": "opensm",
    "ibsim": "ibsim-utils",
    "ibnetdiscover": "infiniband-diags",
    "ibdmchk": "ibutils",
}
"""Programs, and the Debian packages they come in."""
DESCRIBED = "fabric.ibnetdiscover"
"""File of the fabric as it is cabled."""


def missing() -> list[str]:
    """Debian packages that are not installed."""
    missing = [package for name, package in NEEDED.items() if shutil.which(name, path=program_path()) is None]
    if not any(Path(file).exists() for file in PRELOADED):
        missing.append("libumad2sim0")
    return missing


def path_records(one: Simulated, by: str) -> str:
    """Ask for the service levels of all paths; written to `paths.psl`. Return what the collector said."""
    described = read_fabric(one.folder / DESCRIBED)
    with asking(one.environment) as ask:
        told = collect(described, ask, by)
    write_psl(told.fabric, one.folder / "paths.psl")
    return f"{told.queries} queries; by {told.by}; {told.unanswered} pairs without one"


def join(one: Simulated, group: str, seconds: float = 20.0) -> None:
    """Make all host ports members of a multicast group, and wait until its tree is dumped."""
    guids = re.findall(r"^\[[0-9]+\]\(([0-9a-f]+)\)", (one.folder / DESCRIBED).read_text(), re.M)
    words = [sys.executable, "-m", "tests.fabric_loop.joining", group, *guids]
    root = Path(__file__).parents[2]
    own = {**one.environment, "PYTHONPATH": f"{root}:{root / 'src'}"}
    subprocess.run(words, env=own, capture_output=True, timeout=60, check=True)
    dump, end, last = one.folder / "opensm.mcfdbs", time.monotonic() + seconds, b""
    while time.monotonic() < end:
        time.sleep(1)
        now = dump.read_bytes() if dump.exists() else b""
        if now and now == last:
            return
        last = now
    raise RuntimeError(f"OpenSM did not dump multicast group {group}")


def dumped(net: Path, folder: Path, *words: str, host: str, by: str | Mapping[str, str]) -> tuple[str, str]:
    """Run OpenSM and collect path records; the engine that routed, and what the collector said.

    A subnet manager that stops answering half-way, as on a busy machine, is started again, at most twice.

    Parameters
    ----------
    by : str or mapping
        What levels depend on, or this by engine.
    """
    for _ in range(3):
        for name in ("paths.psl", "osm.log"):
            (folder / name).unlink(missing_ok=True)
        with running(net, folder, *words, host=host) as fabric:
            ran = fabric.engine
            said = path_records(fabric, by if isinstance(by, str) else by.get(ran, "destinations"))
        said = said.strip().split("\n")[0]
        if "; 0 pairs without one" in said:
            break
    return ran, said


@contextlib.contextmanager
def running(net: Path, folder: Path, *words: str, host: str = "H0", seconds: float = 60.0) -> Iterator[Simulated]:
    """OpenSM on a simulated fabric, which is described; both are stopped in the end.

    Raises
    ------
    UnknotError
        If the subnet does not come up.
    """
    with simulated(net, folder, ["opensm", *words], host, seconds) as one:
        with (folder / DESCRIBED).open("wb") as described:
            subprocess.run(
                ["ibnetdiscover"], env=one.environment, stdout=described, stderr=subprocess.DEVNULL, timeout=60,
                check=True,
            )  # fmt: skip
        yield one
