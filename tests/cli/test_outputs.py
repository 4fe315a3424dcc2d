"""What a command writes never takes the place of what it reads, nor of what else it writes."""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
from typer.testing import CliRunner

from unknot._base import outcomes
from unknot._base.errors import UnknotError
from unknot._base.outcomes import Outcomes, together
from unknot._base.output import WriteError, make_folder, write_text, written_folder
from unknot.cli.program import app

STUDY = """
[[design]]
name = "mesh"
network = "mesh(2, 2)"
routing = "dimension_order"

[simulation]
loads = [0.05]
measure = 50
"""
CASES = (
    ("run s.toml --csv {0}", "s.toml"),
    ("run s.toml --csv {0} --parquet {1}", ""),
    ("run s.toml --store {0}", "s.toml"),
    ("check in.edges --routing up_down --evidence {0}", "in.edges"),
    ("check in.edges --routing 'own.py:own' --evidence {0}", "own.py"),
    ("check in.edges --routing 'own.py:own' --export {0}", "own.py"),
    ("check edges:in.edges --routing up_down --export {0} --evidence {1}", ""),
    ("check in.edges --routing up_down --flows flows.csv --evidence {0}", "flows.csv"),
    ("convert in.edges {0}", "in.edges"),
    ("convert in.edges {0} --to edges", "in.edges"),
    ("lanes in.edges --export {0} --evidence {1}", ""),
    ("lanes in.edges --flows flows.csv --evidence {0}", "flows.csv"),
    ("simulate in.edges --routing up_down --load 0.1 --csv {0} --export {1}", ""),
    ("simulate in.edges --routing up_down --load 0.1 --csv {0}", "in.edges"),
    ("curve in.edges --routing up_down --out {0} --out {1}", ""),
    ("curve in.edges --routing up_down --out {0} --store {1}", ""),
    ("analyse in.edges --routing up_down --evidence {0}", "in.edges"),
    ("export in.edges {0} --routing up_down", "in.edges"),
    ("faults in.edges --routing up_down --pairs {0} --evidence {1}", ""),
    ("repair in.edges --routing up_down --evidence {0}", "in.edges"),
)
"""Commands, and the input that the output would replace; empty: two outputs are one."""


def _same(draw: random.Random, folder: Path, name: str) -> str:
    """Another name of a file."""
    (folder / "sub").mkdir(exist_ok=True)
    alias = f"alias-{draw.randrange(10**9)}{Path(name).suffix}"
    ways: list[Callable[[], str]] = [
        lambda: name,
        lambda: f"./{name}",
        lambda: f"sub/../{name}",
        lambda: str(folder / name),
        lambda: (os.symlink(folder / name, folder / alias), alias)[1],
    ]
    if (folder / name).exists():
        ways.append(lambda: (os.link(folder / name, folder / alias), alias)[1])
    return draw.choice(ways)()


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("at", range(100 // len(CASES) + 1))
def test_nothing_is_destroyed(
    at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(tmp_path)
    draw = random.Random(f"{request.config.option.hypothesis_seed} {at}")
    (tmp_path / "s.toml").write_text(STUDY, encoding="utf-8")
    (tmp_path / "in.edges").write_text("a b\nb c\nc a\n", encoding="utf-8")
    (tmp_path / "flows.csv").write_text("source,target,bandwidth\na,b,1\n", encoding="utf-8")
    (tmp_path / "own.py").write_text("def own(network):\n    return None\n", encoding="utf-8")
    for command, replaced in CASES:
        if replaced:
            names = [_same(draw, tmp_path, replaced)]
        else:
            one = draw.choice(("new.json", "new.csv"))
            if draw.random() < 0.5:
                (tmp_path / one).write_text("old", encoding="utf-8")
            names = [_same(draw, tmp_path, one), _same(draw, tmp_path, one)]
        before = _files(tmp_path)
        words = [word.strip("'") for word in command.format(*names).split()]
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 2, (words, result.output)
        assert "names the same file" in result.output or "would be lost" in result.output, (words, result.output)
        assert _files(tmp_path) == before, words


@pytest.mark.long
def test_a_file_that_a_study_names_is_not_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That is known once the study is read; all files stay as they are."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.edges").write_text("a b\nb c\nc d\n", encoding="utf-8")
    (tmp_path / "s.toml").write_text(STUDY.replace("mesh(2, 2)", "in.edges").replace("dimension_order", "up_down"))
    before = _files(tmp_path)
    result = CliRunner().invoke(app, ["run", "s.toml", "--csv", "in.edges", "--parquet", "rows.parquet"])
    assert result.exit_code == 2
    assert "this command has read it" in result.output
    assert {name: text for name, text in _files(tmp_path).items() if name in before} == before
    assert not (tmp_path / "rows.parquet").exists()
    result = CliRunner().invoke(app, ["run", "s.toml", "--csv", "s.sqlite"])
    assert (result.exit_code, "has read it" in result.output) == (2, True)


def test_outcomes_take_their_places_together(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_text("old", encoding="utf-8")
    with contextlib.suppress(WriteError), together() as files:
        write_text(first, "new")
        write_text(tmp_path / "no folder" / "c", "new")
        files.place()
    assert first.read_text(encoding="utf-8") == "old"
    with together() as files:
        write_text(first, "half")
        write_text(first, "new")
        write_text(second, "new")
        assert (first.read_text(encoding="utf-8"), second.exists()) == ("old", False)
        files.place()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]
    assert first.read_text(encoding="utf-8") == second.read_text(encoding="utf-8") == "new"


@pytest.mark.long
def test_files_are_written_also_if_nobody_reads_what_is_printed(tmp_path: Path) -> None:
    words = [
        sys.executable,
        "-m",
        "unknot",
        "check",
        "ring(5)",
        "--routing",
        "dimension_order",
        "--evidence",
        "e.json",
    ]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path) as process:
        assert process.stdout is not None
        process.stdout.close()
        _, said = process.communicate(timeout=600)
    assert (b"wrote e.json" in said) == (tmp_path / "e.json").is_file() is True


def test_a_folder_with_an_input_stays(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "in").write_text("input", encoding="utf-8")
    with together(), ExitStack() as writing:
        outcomes.note_read(folder / "in")
        (writing.enter_context(written_folder(folder)) / "new").touch()
        with pytest.raises(UnknotError, match="has read it"):
            writing.close()
    assert _files(folder) == {"in": b"input"}


def test_what_killed_commands_have_left_is_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """But not what somebody still writes; and a folder that was moved out of the way comes back."""
    now = time.time() + 100
    monkeypatch.setattr(time, "time", lambda: now)
    dead, alive = tmp_path / ".a.0123456789ab.part", tmp_path / ".a.ba9876543210.part"
    dead.touch()
    old = tmp_path / ".d.0123456789ab.old"
    old.mkdir()
    (old / "kept").touch()
    with alive.open("xb") as file:
        outcomes.hold(file.fileno())
        write_text(tmp_path / "a", "")
        assert (dead.exists(), alive.exists()) == (False, True)
    outcomes.sweep(tmp_path / "d")
    assert (tmp_path / "d" / "kept").exists()


def test_another_process_does_not_hold_what_it_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = Outcomes()
    monkeypatch.setattr(os, "getpid", lambda: 0)
    assert not mine.takes()


@pytest.mark.parametrize(
    "words",
    [
        "lanes ring(4) --export a.json --export b.json",
        "check ring(4) --routing duato --vcs 2 --vcs 3",
        "lanes ring(4) --one-way --both-ways",
    ],
)
def test_an_option_that_counts_once_is_given_once(words: str) -> None:
    result = CliRunner().invoke(app, words.split())
    assert result.exit_code == 2
    assert "more than once" in result.output


@pytest.mark.parametrize(
    ("words", "computed"),
    [
        ("run s.toml", "unknot.studies.run_study"),
        ("run s.toml --out new/folder", "unknot.studies.run_study"),
        ("run k.cfg --out new/folder", "unknot_booksim.runs.run_booksim"),
    ],
)
def test_a_folder_is_made_when_there_is_something_to_write(
    words: str, computed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.toml").write_text(STUDY, encoding="utf-8")
    (tmp_path / "k.cfg").write_text("topology = mesh; k = 2; n = 2; routing_function = dor;", encoding="utf-8")
    with monkeypatch.context() as during:
        during.setattr(computed, interrupted)
        assert CliRunner().invoke(app, words.split()).exit_code == 130
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == []
    assert CliRunner().invoke(app, words.split()).exit_code == 0
    assert len([path.name for path in tmp_path.iterdir() if path.is_dir()]) == 1


def test_a_folder_goes_with_files_that_are_given_up(tmp_path: Path) -> None:
    """As when a signal comes between two files, and not where files were there before."""
    (tmp_path / "old").mkdir()
    for name in ("old", "new/folder"):
        with contextlib.suppress(KeyboardInterrupt), together():
            make_folder(tmp_path / name)
            write_text(tmp_path / name / "file", "")
            raise KeyboardInterrupt
    assert [path.name for path in tmp_path.rglob("*")] == ["old"]
    with together() as files:
        make_folder(tmp_path / "new/folder")
        write_text(tmp_path / "new/folder/file", "")
        files.place()
    assert (tmp_path / "new/folder/file").exists()


@pytest.mark.parametrize("file", ["s.toml", "k.cfg"])
def test_a_folder_that_cannot_be_made_is_refused_before_anything_is_computed(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.toml").write_text(STUDY, encoding="utf-8")
    (tmp_path / "k.cfg").write_text("topology = mesh; k = 2; n = 2; routing_function = dor;", encoding="utf-8")
    (tmp_path / "there").touch()
    for computed in ("unknot.studies.run_study", "unknot_booksim.runs.run_booksim"):
        monkeypatch.setattr(computed, lambda *_, **__: pytest.fail("computed"))
    for out in ("there", "there/within"):
        result = CliRunner().invoke(app, ["run", file, "--out", out])
        assert (result.exit_code, "cannot be written" in result.output) == (2, True), result.output


def test_an_option_that_counts_several_times_is_given_so(tmp_path: Path) -> None:
    words = "curve ring(4) --routing dimension_order --vcs 2 --loads 0.1 --warmup 20 --measure 50 --jobs 1"
    words += " --out {0}/a.csv --out {0}/b.csv"
    assert CliRunner().invoke(app, words.format(tmp_path).split()).exit_code == 0
    assert (tmp_path / "a.csv").exists()
    assert (tmp_path / "b.csv").exists()
