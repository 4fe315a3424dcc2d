"""Signals at any moment of any command: it ends in a word, with an exit code of its own, and files are whole."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.processes import working
from tests.cli.test_start import COMMAND

STUDY = """
[[design]]
name = "mesh"
network = "mesh(4, 4)"
routing = "dimension_order"

[simulation]
loads = [0.05, 0.1]
measure = 300
"""
COMMANDS = {
    "check": "check 'torus(6, 6)' --routing duato --evidence out.json --json",
    "lanes": "lanes 'torus(4, 4)' --evidence out.json --json",
    "repair": "repair 'ring(4)' --routing fully_adaptive --json",
    "simulate": "simulate 'mesh(8, 8)' --routing duato --load 0.3 --measure 5000 --json",
    "local": "run study.toml --executor local --jobs 2 --json",
    "curve": "curve 'mesh(4, 4)' --routing dimension_order --out out.csv --json",
    "show": "show 'torus(20, 20)' --json",
    "convert": "convert 'torus(20, 20)' out.edges",
    "faults": "faults 'mesh(4, 4)' --routing up_down --json",
    "design": "design routing 'mesh(2)' --switching saf --time-limit 30 --json",
}
BOOKSIM = (
    "topology = mesh; k = 4; n = 2; routing_function = dor; num_vcs = 4; injection_rate = 0.1; sample_period = 500;"
)
OF_PLUG_INS = {
    "sweep": "run mesh.cfg --sweep injection_rate=0.1:0.4:0.1 --out out --json",
    "collective": "collective 'ring(8)' --operation all_reduce --evidence out.json --json",
    "multicast": "multicast 'mesh(6, 6)' --routing dimension_order --vcs 2 --json",
    "bnr": "bnr 'mesh(3, 3)' --routing west_first --json",
    "itm": "itm 'itm(12, extra=6, seed=3)' --json",
    "permute": "permute 'omega(32)' --random 50 --json",
}
"""Commands of packages beside the core."""
EVERY = COMMANDS | OF_PLUG_INS
QUICK = ("check", "convert", "faults", "show")
"""Those that take a second or two, of which ordinary runs draw."""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
CODES = {signal.SIGINT: 130, signal.SIGTERM: 130, signal.SIGHUP: 129, signal.SIGQUIT: 131}
TICKS = os.sysconf("SC_CLK_TCK")
LOOK = 0.01
"""Seconds between looks at a process; processor time is counted in such steps."""


def _takes_signals(pid: int) -> bool:
    """Whether the program has signals of its own; before, the interpreter is still loading itself."""
    try:
        caught = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").partition("SigCgt:")[2].split()[0]
    except (OSError, IndexError):
        return False
    return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)


def _used(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / TICKS


def _one(command: str, number: signal.Signals, share: float, folder: Path, whole: float) -> tuple[int, str, float]:
    """Start a command, send a signal after a share of its processor time: exit code, words, time used after."""
    words = ["sh", "-c", f"exec {sys.executable} -c '{COMMAND}' {EVERY[command]}"]
    with subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while not _takes_signals(process.pid) and process.poll() is None:
            time.sleep(LOOK)
        begin = _used(process.pid)
        until = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < until:
            if max(_used(working(process.pid)), _used(process.pid)) - begin >= share * whole:
                break
            time.sleep(LOOK)
        used = _used(working(process.pid))
        process.send_signal(number)
        before = time.process_time()
        watched, last = working(process.pid), used
        while process.poll() is None and time.process_time() - before < 60:
            last = max(last, _used(watched))
            time.sleep(LOOK)
        said = process.communicate(timeout=120)[1]
    return process.returncode, said, last - used


def _drawn(seed: int, count: int, folder: Path, commands: tuple[str, ...] = (*EVERY,)) -> list[str]:
    """What was wrong with each of some draws, of signal, command and moment; empty: nothing."""
    draw, wrong = random.Random(seed), []
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    (folder / "mesh.cfg").write_text(BOOKSIM, encoding="utf-8")
    whole: dict[str, float] = {}
    for _ in range(count):
        command = draw.choice(sorted(commands))
        number, share = draw.choice(SIGNALS), draw.choice((0.0, draw.random(), draw.random(), draw.uniform(0.9, 1.1)))
        if command not in whole:
            before = os.times()
            subprocess.run(
                ["sh", "-c", f"exec {sys.executable} -c '{COMMAND}' {EVERY[command]}"],
                cwd=folder, capture_output=True, timeout=600, check=False,
            )  # fmt: skip
            after = os.times()
            whole[command] = after[2] + after[3] - before[2] - before[3]
        for path in (folder / "out.json", folder / "out.edges", folder / "out.csv", folder / "study.sqlite"):
            path.unlink(missing_ok=True)
        shutil.rmtree(folder / "out", ignore_errors=True)
        code, said, used = _one(command, number, share, folder, whole[command])
        case = f"{command} {number.name} at {share:.2f}: "
        # A signal that comes when the answer is out changes nothing; SIGINT shows the best that was found.
        if code not in (CODES[number], 0, 1, 3):
            wrong.append(f"{case}exit code {code}: {said[-300:]}")
        if "Traceback" in said or "Exception ignored" in said or "fault of" in said or "report" in said:
            wrong.append(f"{case}{said[-500:]}")
        if used > 1:
            wrong.append(f"{case}{used:.1f} s of processor time")
        if (left := [path.name for path in folder.iterdir() if path.name.endswith((".part", ".old"))]) != []:
            wrong.append(f"{case}left {left}")
        if (folder / "out").exists() and not any((folder / "out").iterdir()):
            wrong.append(f"{case}left an empty folder")
        if (folder / "out.json").exists():
            json.loads((folder / "out.json").read_text(encoding="utf-8"))
    return wrong


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks into /proc")
def test_a_few_signals(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    assert _drawn(request.config.option.hypothesis_seed or 0, 2, tmp_path, QUICK) == []


@pytest.mark.campaign
@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks into /proc")
def test_80_signals_to_commands_of_plug_ins(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    assert _drawn(request.config.option.hypothesis_seed or 0, 80, tmp_path, (*OF_PLUG_INS,)) == []


@pytest.mark.campaign
@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks into /proc")
def test_500_signals(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    assert _drawn(request.config.option.hypothesis_seed or 0, 500, tmp_path, (*COMMANDS,)) == []
