"""Rules that loop for ever: Ctrl-C and SIGTERM end every command within a second, and time limits hold."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.processes import working
from unknot import Relation
from unknot._base.deadline import NoAnswerError, within
from unknot.cli.commands import guard
from unknot.cli.commands.guard import Guard
from unknot.network.families import mesh, ring
from unknot.verify import check

ENDLESS = """
import sys
import unknot.routing as room
from unknot import EJECT, Relation


def endless(network, vcs: int = 1):
    home, router = network.eject, Relation(network, vcs, print).vcs.router

    def compiled(at, address, out):
        while out[0] != 99:
            out[0] = (out[0] + 1) & 7
        return 0

    def plain(at, address, out):
        sys.stderr.flush()
        return compiled(at, address, out)

    return Relation(network, vcs, plain if network.num_routers == 3 else compiled, name="endless")


room.endless = endless
room.__all__ = [*room.__all__, "endless"]

from unknot.cli.program import main

print("begun", flush=True)
sys.argv = ["unknot", *sys.argv[1:]]
main()
"""
"""The command line with one routing more, whose rule never answers; on three routers Numba cannot compile it."""

BIG = "ring(100)"
"""A network whose relation is too large to be tabulated, so that the loop is in compiled code."""


@contextlib.contextmanager
def started(*words: str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", ENDLESS, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "begun\n"
            yield process
        finally:
            process.kill()


def busy(process: subprocess.Popen[str], seconds: float) -> float:
    """Wait until a process has used a given processor time; what it has used then."""
    ticks = os.sysconf("SC_CLK_TCK")
    for _ in range(6000):
        fields = Path(f"/proc/{working(process.pid)}/stat").read_text().rpartition(")")[2].split()
        used = (int(fields[11]) + int(fields[12])) / ticks
        if used > seconds:
            return used
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    raise AssertionError("it does not start")


def spent_by_children() -> float:
    """Processor time of all processes that were started and have ended."""
    times = os.times()
    return times.children_user + times.children_system


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processor time of others is read from /proc")
@pytest.mark.parametrize(
    ("number", "words", "begun"),
    [
        (signal.SIGINT, ("check", BIG, "--routing", "endless"), 1.6),
        (signal.SIGTERM, ("check", "ring(3)", "--routing", "endless"), 1.1),
        pytest.param(
            signal.SIGTERM, ("simulate", BIG, "--routing", "endless", "--load", "0.1"), 1.6,
            marks=pytest.mark.campaign,
        ),
    ],
)  # fmt: skip
def test_a_signal_ends_a_command_within_a_second(
    number: signal.Signals, words: tuple[str, ...], begun: float
) -> None:
    """A second of the processor, which a loop that goes on uses; by the clock it depends on what else is running."""
    before = spent_by_children()
    with started(*words) as process:
        used = busy(process, begun)
        process.send_signal(number)
        out, said = process.communicate(timeout=600)
    assert spent_by_children() - before - used < 1.0
    assert process.returncode == 130
    assert (out, said.strip().splitlines()[-1:]) == ("", ["interrupted"])
    assert "Traceback" not in said


@pytest.mark.sampled(1 / 3)
@pytest.mark.parametrize(
    "words",
    [
        ("check", BIG, "--routing", "endless", "--time-limit", "0.5"),
        ("check", "ring(3)", "--routing", "endless", "--time-limit", "0.5"),
        ("simulate", BIG, "--routing", "endless", "--load", "0.1", "--time-limit", "0.5"),
    ],
)
def test_a_time_limit_holds_on_the_command_line(words: tuple[str, ...]) -> None:
    with started(*words) as process:
        out, said = process.communicate(timeout=600)
    assert process.returncode == 3, said
    assert "Traceback" not in said
    # on a busy machine the command may be left before it shows what it found
    assert "undecided after 0.5 s: " in " ".join(out.split()) or "given up after" in said


def test_a_time_limit_holds_in_python() -> None:
    def patient(at: int, address: int, out: object) -> int:
        time.sleep(0.05)
        return 0

    began = time.monotonic()
    verdict = check(Relation(mesh(4, 4), 1, patient), time_limit=0.2)
    assert verdict.deadlock_free is None
    assert verdict.established.startswith("undecided after 0.2 s: ")
    assert time.monotonic() - began < 40, "all its answers would take 50 s"


LOST = """
import ctypes, os, signal, sys, time
import unknot.routing as room
from unknot.routing import dimension_order


@ctypes.CFUNCTYPE(ctypes.c_int)
def interrupted():
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.01)
    return 0


def lost(network, vcs: int = 1, *, fails: bool = False):
    interrupted()
    if fails:
        raise RuntimeError("no compiled object yet")
    return dimension_order(network, vcs)


room.lost = lost
room.__all__ = [*room.__all__, "lost"]

from unknot.cli.program import main

sys.argv = ["unknot", "check", "mesh(3, 3)", "--routing", *sys.argv[1:]]
main()
"""
"""The command line with a routing in which C code drops the exception of an interrupt, as Numba's compiler does."""


@pytest.mark.parametrize("routing", ["lost", "lost(fails=True)"])
def test_an_interrupt_that_c_code_drops_leaves_no_answer(routing: str) -> None:
    done = subprocess.run([sys.executable, "-c", LOST, routing], capture_output=True, text=True, timeout=600)
    assert done.returncode == 130
    assert "Traceback" not in done.stderr
    assert "fault of Unknot" not in done.stderr


KEPT = (
    LOST[: LOST.index("def lost")]
    + """
def search(*given, **options):
    interrupted()
    try:
        time.sleep(600)
        return "not interrupted"
    except KeyboardInterrupt:
        return "the best so far"


def command():
    with guard.keeping_the_best():
        print(search(), flush=True)
    time.sleep(1.2)
    print("shown", flush=True)


from unknot.cli.commands import guard

guard.run(command)
"""
)
"""A command that shows the best it has found when it is interrupted, where C code drops the exception."""


def test_an_interrupt_that_c_code_drops_ends_a_search() -> None:
    """It comes once more, also while the main thread waits, and is still the first one: the best is shown."""
    done = subprocess.run([sys.executable, "-c", KEPT], capture_output=True, text=True, timeout=600)
    assert done.stdout == "the best so far\nshown\n"
    assert done.stderr.startswith("interrupted; what was found so far is shown soon")
    assert done.returncode == 0


def test_a_repeat_that_comes_just_before_a_wait_is_followed_by_another() -> None:
    """Python begins to wait although a signal is there, if it came after its last look; here the first is dropped."""
    late = "sent = signal.pthread_kill\nsignal.pthread_kill = lambda *to: setattr(signal, 'pthread_kill', sent)\n"
    program = KEPT.replace("guard.run(command)", late + "guard.run(command)")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=600)
    assert (done.stdout, done.returncode) == ("the best so far\nshown\n", 0)


def test_one_interrupt_that_comes_in_two_ways_is_one() -> None:
    """As from a batch system: to the command, and to its parent, which hands it on."""
    again = "    threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()\n    interrupted()\n"
    program = "import threading" + KEPT.replace("    interrupted()\n", again)
    program = program.replace(
        "guard.run(command)", "guard.SAME = 600  # however late the other comes\nguard.run(command)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=600)
    assert (done.stdout, done.returncode) == ("the best so far\nshown\n", 0)


TWICE = """
import atexit, os, signal, sys, time
from unknot.cli.commands import guard


def again():
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.05)


def command():
    atexit.register(again)
    if sys.argv[1] == "first":
        again()


guard.run(command)
"""
"""A command that is interrupted once more while it cleans up, or only then, when its answer is out."""


@pytest.mark.parametrize(("when", "code"), [("first", 130), ("last", 0)])
def test_an_interrupt_while_a_command_ends_changes_nothing(when: str, code: int) -> None:
    """As from Ctrl-C held down, or from a batch system that signals every process of a job."""
    done = subprocess.run([sys.executable, "-c", TWICE, when], capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stderr) == (code, "")


CUT_OFF = """
import atexit, os, signal, sys, time
from unknot.cli.commands import guard


def close():
    raise AssertionError("what it closes is half there")


def command():
    atexit.register(close)
    if sys.argv[1] == "python":
        os.kill(os.getpid(), signal.SIGTERM)
    elif sys.argv[1] == "compiled":
        signal.signal(signal.SIGTERM, lambda *_: None)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(600)


guard.run(command)
"""
"""A command with a library that cannot clean up after its work was cut off, as Dask's cluster cannot."""


@pytest.mark.parametrize("where", ["python", "compiled"])
def test_clean_up_of_what_was_cut_off_fails_in_silence(where: str) -> None:
    done = subprocess.run([sys.executable, "-c", CUT_OFF, where], capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr in ("", "interrupted\n")


def test_clean_up_that_fails_behind_an_answer_is_shown() -> None:
    done = subprocess.run([sys.executable, "-c", CUT_OFF, "not"], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0
    assert "half there" in done.stderr


def test_work_is_given_up_and_errors_and_context_come_through() -> None:
    assert within(10, lambda: 3) == 3
    with pytest.raises(NoAnswerError):
        within(0.01, lambda: time.sleep(1))
    with pytest.raises(ZeroDivisionError):
        within(10, lambda: 1 // 0)
    with pytest.raises(TypeError):
        within(float("inf"), ring)  # type: ignore[arg-type]


def test_a_signal_within_the_handler_of_another_does_not_wait_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """At each line of the handler SIGINT comes again, as the terminal and the parent of a command both send it."""
    done = []

    def interrupt_twice() -> None:
        for at in range(1, 40):
            monkeypatch.setattr(guard, "_interrupted", type(guard._interrupted)())
            handler = Guard.__new__(Guard)
            handler._ended, handler._count, handler._code = threading.Event(), guard._Count(), 130
            lines = 0

            def trace(frame: object, event: str, argument: object) -> object:
                nonlocal lines
                lines += event == "line"
                if lines == at and event == "line":  # noqa: B023 called at once
                    sys.settrace(None)
                    handler._interrupt(signal.SIGINT, None)  # noqa: B023 called at once
                return trace

            with contextlib.suppress(KeyboardInterrupt):
                sys.settrace(trace)
                handler._interrupt(signal.SIGINT, None)
            sys.settrace(None)
            done.append(at)

    thread = threading.Thread(target=interrupt_twice, daemon=True)
    thread.start()
    thread.join(20)
    assert done == [*range(1, 40)]
