"""Without the extras most commands work, and the others say in one line which is missing."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from unknot._base.errors import EXTRAS, missing_extra

PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]
LIBRARIES = {"pysat": "python-sat", "dask_jobqueue": "dask-jobqueue", "yaml": "pyyaml"}
WITHOUT = """
import sys
for library in {blocked}:
    sys.modules[library] = None
sys.argv = ["unknot", *{command}]
from unknot.cli.program import main
main()
"""


def without_extras(*command: str) -> subprocess.CompletedProcess[str]:
    program = WITHOUT.format(blocked=sorted(EXTRAS), command=list(command))
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("library", EXTRAS)
def test_every_extra_brings_its_library(library: str) -> None:
    listed = PROJECT["optional-dependencies"][EXTRAS[library]]
    assert any(line.startswith(LIBRARIES.get(library, library) + ">=") for line in listed)
    assert not any(line.startswith(LIBRARIES.get(library, library) + ">=") for line in PROJECT["dependencies"])
    if EXTRAS[library] == "slurm":
        return  # of use on a cluster alone, so not part of `all`
    (everything,) = PROJECT["optional-dependencies"]["all"]
    assert EXTRAS[library] in everything.removeprefix("unknot[").removesuffix("]").split(",")


@pytest.mark.parametrize("library", EXTRAS)
def test_what_brings_a_library_is_said(library: str) -> None:
    assert f"'unknot[{EXTRAS[library]}]'" in missing_extra(ModuleNotFoundError(name=f"{library}.part"))
    assert missing_extra(ModuleNotFoundError(name="numpy")) == ""


def test_a_check_needs_no_extra() -> None:
    done = without_extras("check", "torus(4, 4)", "--routing", "duato")
    assert done.returncode == 0, done.stderr
    assert "deadlock-free" in done.stdout


@pytest.mark.sampled(0.25)
@pytest.mark.parametrize(
    ("command", "library"),
    [
        (("show", "mesh(3, 3)", "--out", "{out}.png"), "matplotlib"),
        (("run", "{out}.toml", "--out", "{out}", "--out", "{out}.parquet"), "pyarrow"),
    ],
)
def test_a_missing_extra_is_named(command: tuple[str, ...], library: str, tmp_path: Path) -> None:
    Path(tmp_path, "file.toml").write_text('[[design]]\nnetwork = "ring(3)"\nrouting = "up_down"\n', encoding="utf-8")
    done = without_extras(*(word.replace("{out}", str(tmp_path / "file")) for word in command))
    assert done.returncode == 2, done.stderr
    assert f"pip install 'unknot[{EXTRAS[library]}]'" in done.stderr.strip().splitlines()[-1]
    assert len(done.stderr.strip().splitlines()) == 1
