"""What becomes of a command line that is fuzzed.

Every line runs in a fork of one process, with the memory and the time of a small design: after `PATIENCE` seconds of
processor time, or `LONGEST` by the clock, it gets SIGINT, and has `LONGEST` seconds to end.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
import time
import unicodedata
from pathlib import Path

PATIENCE, LONGEST = 3.0, 30.0
TICKS = os.sysconf("SC_CLK_TCK")
LARGEST = 2 * 2**30
CODES = {0, 1, 2, 3, 130}


def outcome(words: list[str], folder: Path) -> tuple[int, str, float]:
    """Exit code of a command line in a fork of this process, what was wrong with it, and its seconds."""
    shown = folder.with_name("shown")
    shown.write_text("")
    start = time.monotonic()
    pid = os.fork()
    if pid == 0:
        _run(words, folder, shown)
    interrupted = 0.0
    while not (done := os.waitpid(pid, os.WNOHANG))[0]:
        now = time.monotonic()
        if not interrupted and (_spent(pid) > PATIENCE or now > start + LONGEST):
            interrupted = now
            os.kill(pid, signal.SIGINT)
        elif interrupted and now > interrupted + LONGEST:
            os.killpg(pid, signal.SIGKILL)
        time.sleep(0.01)
    took = time.monotonic() - start
    left = _end(pid)
    code = os.waitstatus_to_exitcode(done[1])
    text = shown.read_text(encoding="utf-8", errors="surrogateescape")
    raw = sorted({c for c in text if unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t"})
    if code == -signal.SIGKILL:
        return code, "it did not end after an interrupt", took
    if code not in CODES:
        return code, f"exit code {code}: {text[-700:]}", took
    if "Traceback" in text:
        return code, f"a traceback: {text[-700:]}", took
    if raw and not any(word in ("-h", "--help") for word in words):
        return code, f"raw characters {raw}", took
    return code, f"processes are left running: {left}" if left else "", took


def _spent(pid: int) -> float:
    """Seconds of processor time of a process."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICKS


def _run(words: list[str], folder: Path, shown: Path) -> None:
    """Be the command line."""
    os.setsid()
    os.chdir(folder)
    for number, path, flags in ((0, os.devnull, os.O_RDONLY), (1, shown, os.O_RDWR | os.O_CREAT | os.O_TRUNC)):
        os.dup2(os.open(path, flags), number)
    os.dup2(1, 2)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    signal.signal(signal.SIGINT, signal.default_int_handler)
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + LARGEST, taken + LARGEST))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.argv = ["unknot", *words]
    from unknot.cli.program import main

    try:
        main()
    except SystemExit as ended:
        os._exit(ended.code if isinstance(ended.code, int) else 0)
    finally:
        os._exit(99)


def _end(group: int) -> list[str]:
    """What the processes of a group run that do not end; they are ended."""
    for _ in range(3000):
        left = [running for process in Path("/proc").iterdir() if (running := _running(process, group))]
        if not left:
            return []
        time.sleep(0.02)
    os.killpg(group, signal.SIGKILL)
    return left


def _running(process: Path, group: int) -> str:
    """The command of a process, where it is one of the group and has not ended."""
    with contextlib.suppress(OSError):
        if process.name.isdecimal() and os.getpgid(int(process.name)) == group:
            ended = (process / "stat").read_text().rpartition(") ")[2].startswith("Z")
            return "" if ended else (process / "cmdline").read_text().replace("\0", " ")[:200]
    return ""
