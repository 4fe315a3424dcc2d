"""OpenSM on one `ibsim` that is kept running, and the console at which cables are cut and restored.

`ibsim` (Debian packages ibsim-utils and libumad2sim0) answers the subnet manager's packets for all switches and
hosts of a network. OpenSM sees the network through a library that stands before libibumad.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from unknot._base.errors import UnknotError

PRELOADED = ("/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so", "/usr/lib/umad2sim/libumad2sim.so")
"""In Debian's libumad2sim0, which ibsim-utils needs."""
PATIENCE = 60.0
"""Seconds without a line in OpenSM's log, while a sweep is due, after which OpenSM counts as hanging."""
NUDGE = 0.1
"""Seconds after a change within which OpenSM has to act on the trap of a switch, or is told to sweep."""
_TRAP = "SM class trap"
_UP = re.compile(r"SUBNET UP|Errors during initialization")


def program_path() -> str:
    """Folders in which programs are looked for, with those for administrators."""
    return os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


@dataclass(frozen=True)
class OpenSM:
    """An OpenSM program with options.

    Attributes
    ----------
    path : str
    words : tuple of str
        Options; files among them by their whole paths.
    version : str
        Version that the program prints, such as ``OpenSM 3.3.23``.
    """

    path: str
    words: tuple[str, ...]
    version: str

    @classmethod
    def of(cls, text: str) -> OpenSM:
        """Return the program of a command line such as ``/usr/sbin/opensm -R updn``.

        Raises
        ------
        UnknotError
            If there is no such program, it cannot be run, or it does not print the version of an OpenSM.
        """
        try:
            path, *words = shlex.split(os.path.expanduser(text))
        except ValueError:
            raise UnknotError(f"--opensm {text!r}: give the path of OpenSM, then its options") from None
        found = shutil.which(path, path=program_path())
        if found is None:
            there = "is no program that may be run" if Path(path).exists() else "does not exist"
            raise UnknotError(f"--opensm {path}: it {there}; Debian's package opensm has /usr/sbin/opensm")
        try:
            done = subprocess.run([found, "--version"], capture_output=True, text=True, timeout=10, errors="replace")
            said = done.stdout + done.stderr
        except (OSError, subprocess.TimeoutExpired) as error:
            said = str(error)
        version = re.search(r"OpenSM \d\S*", said)
        if version is None:
            raise UnknotError(f"--opensm {path}: asked for its --version, it is no OpenSM: {said[:200]!r}")
        whole = tuple(str(Path(word).resolve()) if Path(word).is_file() else word for word in words)
        return cls(found, whole, version[0])

    def __str__(self) -> str:
        return " ".join((self.version, *self.words))


@dataclass
class Simulated:
    """A running OpenSM and the fabric that it manages.

    Attributes
    ----------
    folder : Path
        With OpenSM's dumps and its log.
    environment : dict
        Under which programs see the simulated fabric.
    ibsim, opensm : Popen
    read : int
        Bytes of OpenSM's log that were read.
    nudge : bool
        Whether OpenSM may have to be told of a change: it ignores traps of a switch that sent many within seconds.
    """

    folder: Path
    environment: dict[str, str]
    ibsim: subprocess.Popen[bytes]
    opensm: subprocess.Popen[bytes]
    read: int = 0
    nudge: bool = False

    @property
    def log(self) -> str:
        """The log of OpenSM."""
        path = self.folder / "osm.log"
        return path.read_text(encoding="latin-1") if path.exists() else ""

    @property
    def engine(self) -> str:
        """The engine that routed last; OpenSM may fall back to another than asked for."""
        said = re.findall(r": (\S+) tables configured on all switches", self.log)
        return str(said[-1]) if said else "nothing"

    def say(self, commands: Iterable[str]) -> None:
        """Give commands at the console of `ibsim`; what is waited for then is a sweep that ends later."""
        self.read, self.nudge = len(self.log), True
        assert self.ibsim.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # its end is told by `wait`
            self.ibsim.stdin.write("".join(f"{command}\n" for command in commands).encode())
            self.ibsim.stdin.flush()

    def wait(self, patience: float | None = None) -> None:
        """Wait until OpenSM has swept once more.

        Raises
        ------
        UnknotError
            If a program ends, or OpenSM's log has no new line for the seconds of `patience`.
        """
        patience, path = PATIENCE if patience is None else patience, self.folder / "osm.log"
        late, end, size, text = time.monotonic() + NUDGE, 0.0, -1, ""
        while True:
            now = path.stat().st_size if path.exists() else 0
            if now != size:
                size, end, text = now, time.monotonic() + patience, self.log
                if up := _UP.search(text, self.read):
                    self.read = up.end()
                    return
            for name, process in (("ibsim", self.ibsim), ("OpenSM", self.opensm)):
                if process.poll() is not None:
                    said = (self.folder / f"{name.lower()}.out").read_text(encoding="latin-1") + text
                    raise UnknotError(f"{name} ended (exit code {process.returncode}): {said[-500:].strip()}")
            if self.nudge and time.monotonic() > late:
                self.nudge = False
                if _TRAP not in text[self.read :]:
                    self.opensm.send_signal(signal.SIGHUP)  # a heavy sweep
            if time.monotonic() > end:
                raise UnknotError(
                    f"OpenSM hangs: a sweep is due, and its log has no new line for {patience:g} s. The last lines: "
                    f"{' / '.join(text.strip().splitlines()[-3:])!r}"
                )
            time.sleep(0.005)


@contextlib.contextmanager
def simulated(
    net: Path, folder: Path, opensm: Sequence[str], host: str, patience: float | None = None
) -> Iterator[Simulated]:
    """Run OpenSM on a network, after its first sweep; stop both in the end.

    Parameters
    ----------
    net : Path
        Network in the form of `ibsim`.
    folder : Path
        For dumps and logs.
    opensm : sequence of str
        OpenSM and its options.
    host : str
        Host at which it runs.
    patience : float, optional
        Seconds as for `Simulated.wait`.

    Raises
    ------
    UnknotError
        If programs are missing, end, or do not bring the subnet up.
    """
    folder.mkdir(parents=True, exist_ok=True)
    own = {**os.environ, "PATH": program_path()}
    preload = next((file for file in PRELOADED if Path(file).exists()), None)
    if preload is None or shutil.which("ibsim", path=own["PATH"]) is None:
        raise UnknotError("OpenSM needs a fabric, and ibsim is missing: apt-get install ibsim-utils libumad2sim0")
    own |= {"IBSIM_SOCKNAME": f"unknot{os.getpid()}_{time.monotonic_ns()}"}
    seen = {**own, "LD_PRELOAD": preload, "SIM_HOST": host}
    seen |= {"OSM_TMP_DIR": f"{folder}/", "OSM_CACHE_DIR": f"{folder}/"}
    text = net.read_text(encoding="utf-8")
    nodes, ports = re.findall(r"^(?:Switch|Hca)\s+(\d+)", text, re.M), text.count("\n[")
    limits = ["-N", str(len(nodes) + 1), "-S", str(text.count("Switch") + 1), "-P", str(sum(map(int, nodes)) + ports)]
    managing = [*opensm, "-e", "-f", str(folder / "osm.log"), "-s", "0", "-D", "0x43", "-d2"]
    with contextlib.ExitStack() as stack:
        ran = list[subprocess.Popen[bytes]]()
        for name, command, environment in (
            ("ibsim", ["ibsim", "-s", *limits, str(net)], own),
            ("opensm", managing, seen),
        ):
            said = stack.enter_context((folder / f"{name}.out").open("wb"))
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=said, stderr=said, env=environment, cwd=folder
            )
            stack.callback(_stop, process)
            ran.append(process)
            time.sleep(0.3 if name == "ibsim" else 0)
        one = Simulated(folder, seen, ran[0], ran[1])
        one.wait(patience)
        yield one


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdin is not None:
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
