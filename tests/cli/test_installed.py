"""The installed command: streams, signals, stores that survive, start-up."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

import unknot
from tests.cli.processes import children, working
from tests.cli.test_cli import STUDY, unknot_says

COMMAND = str(Path(sys.executable).parent / "unknot")


def command(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([COMMAND, *words], cwd=folder, capture_output=True, text=True, check=False)


def rows(store: Path) -> dict[int, str]:
    """Row number and content of each stored point; a point that is computed again gets a new row."""
    if not store.exists():
        return {}
    base = sqlite3.connect(f"file:{store}?mode=ro", uri=True, timeout=10)
    try:
        return dict(base.execute("SELECT rowid, key || result FROM results").fetchall())
    except sqlite3.OperationalError:
        return {}
    finally:
        base.close()


PAUSED = """
import sys, time
from unknot.cli.commands import guard
from unknot.cli.program import main
from unknot.studies.store import Store

guard.UNNOTICED = guard.UNWINDING = 600  # however busy the machine is

put = Store.put_all
paused = []

def put_and_pause(self, rows):
    for row in rows:
        put(self, [row])
        if len(self) == 4 and not paused:
            paused.append(True)
            print("four are stored", flush=True)
            time.sleep(600)

Store.put_all = put_and_pause
sys.argv = ["unknot", "run", "s.toml", "--jobs", "2"]
if {processes}:
    from unknot.studies import run
    run.SMALL_POINTS = 0
main()
"""


def wait_until_idle(pid: int) -> None:
    """Return once a process has used no processor time for a while."""
    stat, used = Path(f"/proc/{pid}/stat"), ["", "?"]
    while stat.exists() and used[-1] != used[-2]:
        time.sleep(0.4)
        used.append(" ".join(stat.read_text().rpartition(")")[2].split()[11:13]))


def broken_off(folder: Path, how: signal.Signals, processes: bool) -> tuple[int, str, dict[int, str]]:
    """Run the study until four points are stored, send a signal to everything, and say what was stored."""
    process = subprocess.Popen(
        [sys.executable, "-c", PAUSED.format(processes=processes)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "four are stored\n"
    pid = working(process.pid)
    workers = children(pid)
    assert len(workers) >= 2 * processes * Path(f"/proc/{pid}/task/{pid}/children").exists()
    if how == signal.SIGINT:
        wait_until_idle(pid)  # so that the main thread notices at once, also on a busy machine
        os.killpg(process.pid, how)
    else:
        process.send_signal(how)
    _, said = process.communicate(timeout=600)
    patience = time.monotonic() + 600
    for child in (pid, *workers):
        while Path(f"/proc/{child}").exists() and "State:\tZ" not in Path(f"/proc/{child}/status").read_text():
            assert time.monotonic() < patience, "a worker outlives the study"
            time.sleep(0.05)
    return process.returncode, said, rows(folder / "s.sqlite")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The report of a study that ran in one go."""
    folder = tmp_path_factory.mktemp("undisturbed")
    (folder / "s.toml").write_text(STUDY)
    done = command("run", "s.toml", folder=folder)
    assert done.returncode == 0, done.stderr
    assert "report  reports/s.html" in done.stdout
    return (folder / "reports" / "s.html").read_bytes()


@pytest.mark.long
@pytest.mark.sampled(0.25)
@pytest.mark.parametrize(
    ("how", "processes"),
    [
        (signal.SIGKILL, True),
        (signal.SIGINT, False),
        pytest.param(signal.SIGINT, True, marks=pytest.mark.campaign),
    ],
)
def test_a_study_broken_off_goes_on_where_it_stood(
    how: signal.Signals, processes: bool, tmp_path: Path, undisturbed: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "s.toml").write_text(STUDY)
    code, said, before = broken_off(tmp_path, how, processes)
    assert len(before) >= 4 if how == signal.SIGINT else len(before) == 4
    assert not (tmp_path / "reports" / "s.html").exists()
    if how == signal.SIGINT:
        assert code == 130
        assert "finished points are kept in s.sqlite" in said
        assert "Traceback" not in said
    else:
        assert code == -signal.SIGKILL
    monkeypatch.chdir(tmp_path)
    done = unknot_says("run", "s.toml")
    assert done.exit_code == 0, done.stderr
    after = rows(tmp_path / "s.sqlite")
    assert len(after) == 14
    assert {row: after.get(row) for row in before} == before
    assert (tmp_path / "reports" / "s.html").read_bytes() == undisturbed


@pytest.mark.long
def test_run_in_json(tmp_path: Path, undisturbed: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.toml").write_text(STUDY)
    done = unknot_says("run", "s.toml", "--json", "--jobs", "1")
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert found["report"] == "reports/s.html"
    assert [design["name"] for design in found["designs"]] == ["unsafe", "safe"]
    assert [design["verdict"]["deadlock_free"] for design in found["designs"]] == [False, True]
    assert found["designs"][0]["replay"]["stuck"] is True
    for design in found["designs"]:
        wanted = [(load, seed) for load in (0.1, 0.2, 0.3) for seed in (1, 2)]
        assert [(run["offered_load"], run["seed"]) for run in design["runs"]] == wanted
    page = (tmp_path / "reports" / "s.html").read_bytes()
    assert page.replace(b', "--json", "--jobs", "1"', b"") == undisturbed


@pytest.mark.long
def test_worker_processes_end_without_a_word(tmp_path: Path) -> None:
    words = ("simulate", "mesh(3, 3)", "--routing", "dimension_order", "--load", "0.1", "--seeds", "2", "--jobs", "2")
    done = command(*words, "--warmup", "100", "--measure", "400", folder=tmp_path)
    assert done.returncode == 0
    said = [line for line in done.stderr.splitlines() if not line.startswith("compiling kernels")]
    assert said == []


def test_version_and_help() -> None:
    assert unknot_says("--version").stdout == f"unknot {unknot.__version__}\n"
    for words in (["--help"], *([name, "--help"] for name in ("run", "check", "audit", "show", "simulate"))):
        result = unknot_says(*words)
        assert result.exit_code == 0
        assert "Usage:" in result.stdout


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\nfrom unknot.cli.program import app\n"
        "try:\n    app(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'numba', 'numpy', 'scipy', 'matplotlib', 'ortools', 'networkx', 'pydantic', 'rich'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_nobody_reads_on(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [COMMAND, "show", "ring(64)", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    process.wait(timeout=600)
    assert "Traceback" not in said
