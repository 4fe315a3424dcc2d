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

NEEDED = {
    "opensm": "opensm",
    "ibsim": "ibsim-utils",
    "ibnetdiscover": "infiniband-diags",
    "ibdmchk": "ibutils",
}
"""Programs, and the Debian packages they come in."""
ROOT = str(Path(__file__).parents[2])
"""Folder from which the collector of service levels is imported."""
PRELOADED = ("/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so", "/usr/lib/umad2sim/libumad2sim.so")
"""In Debian's libumad2sim0, which ibsim-utils needs."""


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
        words = [sys.executable, "-m", "tests.fabric_loop.collect", "fabric.ibnetdiscover", "paths.psl", "--by", by]
        environment = {**self.environment, "PYTHONPATH": ROOT}
        done = subprocess.run(
            words,
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        return done.stdout + done.stderr

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
    RuntimeError
        If the subnet does not come up.
    """
    folder.mkdir(parents=True, exist_ok=True)
    preload = next(file for file in PRELOADED if Path(file).exists())
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    own = {**os.environ, "PATH": path, "IBSIM_SOCKNAME": f"unknot{os.getpid()}_{time.monotonic_ns()}"}
    seen = {**own, "LD_PRELOAD": preload, "SIM_HOST": host}
    seen |= {"OSM_TMP_DIR": f"{folder}/", "OSM_CACHE_DIR": f"{folder}/"}
    log = folder / "osm.log"
    opensm = ["opensm", "-e", "-f", str(log), "-s", "0", "-D", "0x43", "-d2", *words]
    with contextlib.ExitStack() as stack:
        for command, environment, name in ((["ibsim", "-s", "-n", str(net)], own, "ibsim"), (opensm, seen, "opensm")):
            said = stack.enter_context((folder / f"{name}.out").open("wb"))
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=said, stderr=said, env=environment, cwd=folder
            )
            stack.callback(_stop, process)
            if name == "ibsim":
                time.sleep(0.3)
        end = time.monotonic() + seconds
        text = ""
        while "SUBNET UP" not in text:
            if time.monotonic() > end or process.poll() is not None:
                raise RuntimeError(f"OpenSM did not bring {net.name} up: {text[-500:]}")
            time.sleep(0.05)
            text = log.read_text(errors="replace") if log.exists() else ""
        with (folder / "fabric.ibnetdiscover").open("wb") as described:
            subprocess.run(
                ["ibnetdiscover"], env=seen, stdout=described, stderr=subprocess.DEVNULL, timeout=60, check=True
            )
        yield Running(folder, seen, text)


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdin is not None:
        process.stdin.close()
