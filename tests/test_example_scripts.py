"""The scripts of examples/ run with short settings, come to answers, and say how long they took."""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from unknot.cli.program import app
from unknot.studies.load import load_study
from unknot.studies.run import SMALL_CYCLES

EXAMPLES = Path(__file__).parents[1] / "examples"
SMALL = {
    "chip.py": ["--quick"],
    "cluster.py": ["--quick"],
    "demo.py": ["--quick"],
    "design_figures.py": ["pairs"],
    "turn_models.py": ["2"],
    "first_curve.py": ["--quick"],
    "hangs/chunks.py": [],
    "hangs/update.py": [],
    "images.py": ["."],
    "lanes.py": ["--quick"],
    "papers/bnr.py": [],
    "papers/bnr_algorithms.py": [],
    "papers/itm.py": [],
    "papers/rcbn.py": [],
    "papers/rcbn_figures.py": ["."],
    "papers/tod.py": [],
    "papers/wormhole.py": [],
    "papers/wormhole_cost.py": [],
}
"""Arguments of the small form of each script."""
SCRIPTS = [
    path.relative_to(EXAMPLES).as_posix()
    for path in sorted(EXAMPLES.rglob("*.py"))
    if path.parent.name not in {"methods", "published"}  # imported by the scripts of papers; routings, no scripts
]


@pytest.fixture
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run a script in an empty folder, and return what it and the commands that it starts print."""

    def run(script: str, *words: str) -> str:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("MPLBACKEND", "Agg")
        monkeypatch.setattr("sys.argv", [script, "--quick", *words])
        runpy.run_path(str(EXAMPLES / script), run_name="__main__")
        said, complaints = capfd.readouterr()
        assert not re.search("Traceback|Warning|Exception", complaints), complaints
        assert re.search(r"\d s( from nothing)?$", said.strip()), said
        return said

    return run


@pytest.mark.campaign  # its commands in this process: test_docs.py
def test_a_first_curve_in_three_commands(ran: Callable[..., str], tmp_path: Path) -> None:
    said = ran("first_curve.py")
    assert [line.split()[2] for line in said.splitlines() if line.startswith("$ ")] == ["check", "simulate", "run"]
    rows = Path(re.search(r"rows: (.*)", said)[1]).read_text(encoding="utf-8").splitlines()  # type: ignore[index]
    assert len(rows) > 4
    assert re.search(r"stable +yes", said)


def test_a_chip_with_a_matrix_of_bandwidths(ran: Callable[..., str]) -> None:
    said = ran("chip.py")
    assert "up_down         <Verdict deadlock-free" in said
    carried, asked = map(float, re.search(r"carried ([\d.]+) GB/s of the ([\d.]+) GB/s", said).groups())  # type: ignore[union-attr]
    assert carried == pytest.approx(asked, rel=0.15)
    assert re.search(r"latency [\d.]+ ns mean", said)


@pytest.mark.campaign
def test_five_fabrics_of_a_cluster(ran: Callable[..., str]) -> None:
    said = ran("cluster.py")
    row = r"^(\w+)\(.*? (\d+) +(0%|5%) +[\d,]+ +(yes|no) +\d+ +([\d.]+) +([\d.]+) +([\d.]+) +(\d+) +(\d+)  "
    rows = re.findall(row, said, re.M)
    assert [(name, failed) for name, _, failed, *_ in rows] == [
        (name, failed) for name in ("fat_tree", "dragonfly", "hyperx", "slim_fly", "torus") for failed in ("0%", "5%")
    ]
    for _, ends, _, safe, worst, most, saturation, exchange, reduction in rows:
        assert safe == "yes"
        assert 0 < float(worst) <= float(most)
        assert 0 < float(saturation) <= 1
        assert int(exchange) >= 4 * (int(ends) - 1), "a terminal sends a flit in a cycle"
        assert int(reduction) >= 8 * (int(ends) - 1)


def test_lanes_are_found_and_written(ran: Callable[..., str], tmp_path: Path) -> None:
    said = ran("lanes.py", "routes.json")
    assert "shortest paths in one lane: <Verdict can deadlock" in said
    assert "by tables in 2 lanes: <Verdict deadlock-free" in said
    assert "at least 2; the separate checker accepts it: True" in said
    assert re.search(r"one channel less: [23] lanes, [1-9]\d* of 30 routes change", said)
    assert len(json.loads((tmp_path / "routes.json").read_text(encoding="utf-8"))["routers"]) == 6


@pytest.mark.campaign
def test_a_notebook_from_text_to_frame_and_plot() -> None:
    """Executed as Jupyter does: each cell shows a picture or a table, the last one the plot."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(EXAMPLES / "notebook.ipynb", as_version=4)
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(EXAMPLES)}}).execute()
    rows = re.findall(r"<tr>.*?</tr>", "".join(notebook.cells[4]["outputs"][0]["data"]["text/html"]), re.S)
    loads = [[float(text) for text in re.findall(r"<td>([\d.]+)</td>", row)[-4:-1]] for row in rows]
    assert len(loads) == 5
    assert all(abs(accepted / offered - 1) < 0.02 for offered, accepted, *_ in loads), loads
    assert not all(accepted > offered for offered, accepted, *_ in loads), loads
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    shown = [{kind for output in cell.outputs for kind in output.get("data", {})} - {"text/plain"} for cell in code]
    picture, table, plot = {"image/svg+xml"}, {"text/html"}, {"image/png"}
    assert shown == [picture, table, table, table, plot, picture, set()]
    assert re.fullmatch(r"from nothing to a plot: [\d.]+ s\n", code[-1].outputs[-1].text)


def reports_of_the_demo(printed: str, folder: Path) -> list[Path]:
    reports = [Path(line) for line in printed.splitlines()[-2:]]
    assert [path.name for path in reports] == ["torus.html", "opensm-torus8x8-dor.html"]
    for path in reports:
        assert path.is_relative_to(folder)
        page = path.read_text(encoding="utf-8")
        assert "can deadlock" in page
        assert "<svg" in page
    return reports


def test_the_demo_in_this_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its study so short that no worker processes are started."""
    demo = runpy.run_path(str(EXAMPLES / "demo.py"))
    demo["SMALL"]["measure"] = "300"

    def command(words: list[str], **_: object) -> SimpleNamespace:
        return SimpleNamespace(returncode=CliRunner().invoke(app, words[1:]).exit_code)

    monkeypatch.setitem(demo["main"].__globals__, "subprocess", SimpleNamespace(run=command))
    monkeypatch.setattr("sys.argv", ["demo.py", "--quick"])
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.chdir(EXAMPLES.parent)
    demo["main"]()
    reports_of_the_demo(capsys.readouterr().out, tmp_path)


@pytest.mark.campaign
def test_the_demo_on_worker_processes(tmp_path: Path) -> None:
    """What workers and interpreters say at their end is on the same stderr."""
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "demo.py"), "--quick"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TMPDIR": str(tmp_path), "PYTHONIOENCODING": "utf-8"},
    )
    assert done.returncode == 0, done.stderr
    assert not re.search("Traceback|Warning|Exception", done.stderr), done.stderr
    study, _ = reports_of_the_demo(done.stdout, tmp_path)
    settings = load_study(study.with_suffix(".toml")).simulation
    assert settings is not None
    assert (settings.measure or 0) > SMALL_CYCLES, "else the points are left to threads"


def test_a_script_that_needs_a_folder_says_so() -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "papers/rcbn_figures.py")], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "usage: python examples/papers/rcbn_figures.py FOLDER\n"


@pytest.mark.campaign
@pytest.mark.parametrize("script", SCRIPTS)
def test_every_script_runs_as_a_command(script: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / script), *SMALL[script]],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path), "PYTHONIOENCODING": "utf-8", "MPLBACKEND": "Agg"},
    )
    assert done.returncode == 0, done.stderr
    assert not re.search("Traceback|Warning|Exception", done.stderr), done.stderr
    assert done.stdout.strip()


def test_every_script_has_a_small_form() -> None:
    assert set(SMALL) == set(SCRIPTS), "name the small form of each script in SMALL"
