"""What the command line says when native code ends the command."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(not hasattr(signal, "sigwaitinfo"), reason="the parent process needs sigwaitinfo")
PROGRAM = """
import os, signal, sys, time
for number in (signal.SIGHUP, signal.SIGQUIT):  # ignored by what nohup and scripts start in the background
    signal.signal(number, signal.SIG_DFL)
import unknot.network
import unknot.cli.commands.show as command
def ends(*given, **options):
    {act}
unknot.network.measure = ends
sys.argv = ["unknot", "show", "ring(4)"]
from unknot.cli.program import main
main()
"""


def begun(act: str) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", PROGRAM.format(act=act)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.sampled(0.5)
@pytest.mark.parametrize(
    ("number", "code", "why"),
    [("SIGSEGV", 70, "a fault of"), ("SIGBUS", 70, "a fault of"), ("SIGABRT", 2, "memory"), ("SIGKILL", 2, "memory")],
)
def test_a_signal_in_native_code_is_no_answer(number: str, code: int, why: str) -> None:
    with begun(f"os.kill(os.getpid(), signal.{number})") as process:
        out, said = process.communicate(timeout=600)
    assert (process.returncode, out) == (code, "")
    assert said.startswith("ended from outside Python (")
    assert "so there is no answer" in said
    assert why in said


@pytest.mark.parametrize("act", ["sys.exit(3)", "os._exit(3)"])
def test_other_ends_are_those_of_the_command(act: str) -> None:
    with begun(act) as process:
        assert process.communicate(timeout=600) == ("", "")
    assert process.returncode == 3


def test_the_command_ends_with_a_parent_that_is_killed() -> None:
    act = "print(os.getpid(), flush=True); time.sleep(6000)"
    with begun(act) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        assert child != process.pid
        process.kill()
        until = time.monotonic() + 600
        while os.path.exists(f"/proc/{child}") and time.monotonic() < until:
            time.sleep(0.01)
        assert time.monotonic() < until


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGHUP, 129), (signal.SIGQUIT, 131)],
)
def test_signals_of_other_processes_reach_the_command(number: signal.Signals, code: int) -> None:
    with begun("print('here', flush=True); time.sleep(6000)") as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(number)
        said = process.communicate(timeout=600)[1]
    assert process.returncode == code
    assert "interrupted" in said
