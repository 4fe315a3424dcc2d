"""A fabric simulated by `ibsim` and run by the real OpenSM, for as long as it takes to look at it."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from unknot.fabrics.managed.path_records import asking, collect
from unknot.fabrics.managed.simulated import PRELOADED, simulated
from unknot.fabrics.opensm_levels import write_psl
from unknot.fabrics.reading import read_fabric

NEEDED = {
    "opensm": "opensm",
    "ibsim": "ibsim-utils",
    "ibnetdiscover": "infiniband-diags",
    "ibdmchk": "ibutils",
}
"""Programs, and the Debian packages they come in."""


def missing() -> list[str]:
    """Debian packages that are not installed."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    missing = [package for program, package in NEEDED.items() if shutil.which(program, path=path) is None]
    if not any(Path(file).exists() for file in PRELOADED):
        missing.append("libumad2sim0")
    return missing


@dataclass(frozen=True)
class Running:
    """A fabric with a subnet manager.

    Attributes
    ----------
    folder : Path
        With OpenSM's dumps, its log, and `fabric.ibnetdiscover`.
    environment : dict
        Under which the InfiniBand tools see the simulated fabric.
    log : str
        OpenSM's, up to the first time the subnet was up.
    """

    folder: Path
    environment: dict[str, str]
    log: str

    def engine(self) -> str:
        """The engine that routed; it need not be the one that was asked for."""
        said = [line for line in self.log.splitlines() if "tables configured on all switches" in line]
        return said[-1].split(": ")[-1].split(" tables")[0] if said else "nothing"

    def path_records(self, by: str) -> str:
        """Ask for the service levels of all paths; written to `paths.psl`. What the collector said."""
        described = read_fabric(self.folder / "fabric.ibnetdiscover")
        with asking(self.environment) as ask:
            told = collect(described, ask, by)
        write_psl(told.fabric, self.folder / "paths.psl")
        return f"{told.queries} queries; by {told.by}; {told.unanswered} pairs without one"

    def join(self, group: str, seconds: float = 20.0) -> None:
        """Make all host ports members of a multicast group, and wait until its tree is dumped."""
        described = (self.folder / "fabric.ibnetdiscover").read_text()
        guids = re.findall(r"^\[[0-9]+\]\(([0-9a-f]+)\)", described, re.M)
        words = [sys.executable, "-m", "tests.fabric_loop.joining", group, *guids]
        root = Path(__file__).parents[2]
        own = {**self.environment, "PYTHONPATH": f"{root}:{root / 'src'}"}
        subprocess.run(words, env=own, capture_output=True, timeout=60, check=True)
        dump, end, last = self.folder / "opensm.mcfdbs", time.monotonic() + seconds, b""
        while time.monotonic() < end:
            time.sleep(1)
            now = dump.read_bytes() if dump.exists() else b""
            if now and now == last:
                return
            last = now
        raise RuntimeError(f"OpenSM did not dump multicast group {group}")


def dumped(net: Path, folder: Path, *words: str, host: str, by: str | dict[str, str]) -> tuple[str, str]:
    """Run OpenSM and collect path records; the engine that routed, and what the collector said.

    A subnet manager that stops answering half-way, as on a busy machine, is started again, at most twice.

    Parameters
    ----------
    by : str or dict
        What levels depend on, or this by engine.
    """
    for _ in range(3):
        for name in ("paths.psl", "osm.log"):
            (folder / name).unlink(missing_ok=True)
        with running(net, folder, *words, host=host) as fabric:
            ran = fabric.engine()
            said = fabric.path_records(by if isinstance(by, str) else by.get(ran, "destinations"))
        said = said.strip().split("\n")[0]
        if "; 0 pairs without one" in said:
            break
    return ran, said


@contextlib.contextmanager
def running(net: Path, folder: Path, *words: str, host: str = "H0", seconds: float = 60.0) -> Iterator[Running]:
    """OpenSM on a simulated fabric; both are stopped in the end.

    Raises
    ------
    UnknotError
        If the subnet does not come up.
    """
    with simulated(net, folder, ["opensm", *words], host, seconds) as one:
        with (folder / "fabric.ibnetdiscover").open("wb") as described:
            subprocess.run(
                ["ibnetdiscover"], env=one.environment, stdout=described, stderr=subprocess.DEVNULL, timeout=60,
                check=True,
            )  # fmt: skip
        yield Running(folder, one.environment, one.log)
