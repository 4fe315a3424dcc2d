"""Routers of FRR in network namespaces, veth pairs as cables.

All of it is in a process namespace of its own, whose first process is this program: the kernel ends every daemon and
removes every namespace and file when the program ends, however it does.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.ethernet_loop.fabrics import Case
from unknot.fabrics.managed.simulated import program_path

DAEMONS = Path("/usr/lib/frr")
PRIVATE = ("/run/netns", "/run/frr", "/etc/frr")
"""Folders that are empty and in memory for the program alone."""
INSIDE = "UNKNOT_ETHERNET_LOOP"
"""Variable that says that the program is in its own namespaces."""
STILL, LONG = 1.5, 8.0
"""Seconds for which routes must not change, and those where a busy machine may have been late."""


def missing() -> str:
    """What lacks to run it, in words; nothing if it can run."""
    lacking = [
        name for name in ("ip", "unshare", "mount", "vtysh") if shutil.which(name, path=program_path()) is None
    ]
    lacking += [str(DAEMONS / name) for name in ("zebra", "bgpd", "ospfd") if not (DAEMONS / name).exists()]
    if lacking:
        return f"{', '.join(lacking)} (Debian packages frr, iproute2, util-linux, mount)"
    if os.geteuid():
        return "the rights of root, for network namespaces"
    tried = subprocess.run(["unshare", *_APART, "true"], capture_output=True, text=True)
    return f"network namespaces: {tried.stderr.strip()}" if tried.returncode else ""


_APART = ("--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")


def set_apart(module: str, words: Sequence[str]) -> None:
    """Become the same program in namespaces of its own; return there, with empty folders."""
    if INSIDE not in os.environ:
        own = {**os.environ, INSIDE: "1", "PATH": program_path()}
        os.execvpe("unshare", ["unshare", *_APART, sys.executable, "-m", module, *words], own)
    for folder in PRIVATE:
        Path(folder).mkdir(parents=True, exist_ok=True)
        _run("mount", "-t", "tmpfs", "none", folder)
        if folder != PRIVATE[0]:
            shutil.chown(folder, "frr", "frr")
            Path(folder).chmod(0o755)


def _run(*words: str, given: str = "", seconds: float = 60.0) -> str:
    done = subprocess.run(words, input=given, capture_output=True, text=True, timeout=seconds)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stdout[-300:]}{done.stderr[-300:]}")
    return done.stdout


@dataclass
class Running:
    """A fabric that runs; `with` ends it."""

    case: Case
    daemons: list[subprocess.Popen[bytes]] = field(default_factory=list)
    down: set[tuple[str, str]] = field(default_factory=set)

    def __enter__(self) -> Running:
        try:
            self._start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def _start(self) -> None:
        switches, lines = self.case.switches, list[str]()
        _run("ip", "-batch", "-", given="\n".join(f"netns add {name}" for name in switches))
        for name in switches:
            keys = ("net.ipv6.conf.all.disable_ipv6=1", "net.ipv6.conf.default.disable_ipv6=1")
            _run("ip", "netns", "exec", name, "sysctl", "-q", "-w", *keys)
        for a, b in self.case.cables:
            lines.append(f"link add to-{b} netns {a} type veth peer name to-{a} netns {b}")
        _run("ip", "-batch", "-", given="\n".join(lines))
        for name in switches:
            own = ["link set lo up"]
            for port, address in self.case.addresses(name):
                own += (
                    [f"link add {port} type veth peer name server", "link set server up"] if port == "hosts" else []
                )
                own += [f"address add {address} dev {port}", f"link set {port} up"]
            _run("ip", "-n", name, "-batch", "-", given="\n".join(own))
        for name in switches:
            folder = Path("/etc/frr", name)
            for part in (folder, Path("/run/frr", name)):
                part.mkdir()
                shutil.chown(part, "frr", "frr")
            for daemon, text in (("zebra", f"hostname {name}\n"), (self.case.daemon, self.case.configuration(name))):
                (folder / f"{daemon}.conf").write_text(text)
                words = ["ip", "netns", "exec", name, str(DAEMONS / daemon), "-N", name, "-P", "0"]
                said = subprocess.DEVNULL
                self.daemons.append(subprocess.Popen(words, stdin=said, stdout=said, stderr=said))
                end = time.monotonic() + 20
                while not Path("/run/frr", name, f"{daemon}.vty").exists():
                    if time.monotonic() > end or self.daemons[-1].poll() is not None:
                        raise RuntimeError(f"{daemon} of {name} did not start")
                    time.sleep(0.02)

    def _stop(self) -> None:
        for process in self.daemons:
            process.terminate()
        for process in self.daemons:
            try:
                process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for folder in PRIVATE[1:]:
            for name in self.case.switches:
                shutil.rmtree(Path(folder, name), ignore_errors=True)
        known = _run("ip", "netns", "list").split()
        _run(
            "ip", "-batch", "-", given="\n".join(f"netns del {name}" for name in self.case.switches if name in known)
        )

    def fail(self, cables: set[tuple[str, str]]) -> None:
        """Take these cables down, and up what was down before."""
        for (a, b), state in [*((c, "up") for c in self.down - cables), *((c, "down") for c in cables - self.down)]:
            _run("ip", "-n", a, "link", "set", f"to-{b}", state)
        self.down = set(cables)

    def load(self, folder: Path) -> None:
        """Load the route-maps of a folder into every router, and have all routes told anew."""
        for name in self.case.switches:
            _run("vtysh", "-N", name, "-f", str(folder / f"{name}.frr-route-maps.conf"))
        for name in self.case.switches:
            self._ask(name, "clear bgp ipv4 unicast * soft")

    def settled(self, seconds: float, still: float = STILL) -> dict[str, str]:
        """Wait until every neighbour behind a cable that is up is one and no route changes; return all routes.

        Raises
        ------
        RuntimeError
            If that takes longer.
        """
        end, last, since = time.monotonic() + seconds, dict[str, Any](), time.monotonic()
        while True:
            time.sleep(0.3)
            texts = {name: self._ask(name, "show ip route json") for name in self.case.switches}
            now = {name: _without_ages(text) for name, text in texts.items()}
            if now != last or not self._all_neighbours():
                last, since = now, time.monotonic()
            elif time.monotonic() - since >= still:
                return texts
            if time.monotonic() > end:
                raise RuntimeError(f"{self.case.name}: routes did not settle in {seconds:g} s, down: {self.down}")

    def sessions(self) -> dict[str, dict[str, str]]:
        """What each router prints of its sessions, by kind of file."""
        asked = {
            "bgp.json": "show bgp summary json",
            "bgp_neighbors.json": "show bgp neighbors json",
            "frr.conf": "show running-config",
        }
        return {name: {kind: self._ask(name, text) for kind, text in asked.items()} for name in self.case.switches}

    def _ask(self, name: str, question: str) -> str:
        return _run("vtysh", "-N", name, "-c", question)

    def _all_neighbours(self) -> bool:
        """Whether both ends of every cable that is up have agreed, and no others."""
        count = 0
        for name in self.case.switches:
            if self.case.daemon == "bgpd":
                peers = json.loads(self._ask(name, "show bgp summary json")).get("ipv4Unicast", {}).get("peers", {})
                count += sum(peer["state"] == "Established" and not peer["outq"] for peer in peers.values())
            else:
                peers_of = json.loads(self._ask(name, "show ip ospf neighbor json")).get("neighbors", {})
                count += sum(one["nbrState"].startswith("Full") for rows in peers_of.values() for one in rows)
        return count == 2 * (len(self.case.cables) - len(self.down))


def _without_ages(text: str) -> Any:
    """Routes apart from how long they are there."""
    routes = json.loads(text)
    for entries in routes.values():
        for entry in entries:
            entry.pop("uptime", None)
    return routes
