"""Compiled kernels are thrown away when, and only when, a source they are made of has changed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from unknot.kernel_cache import CONSTANTS, _private_folder, drop_stale


@pytest.fixture
def package(tmp_path: Path) -> Path:
    for name in (*CONSTANTS, "verify/states_kernel.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("ONE = 1\n")
    drop_stale(tmp_path)
    (tmp_path / "verify/__pycache__").mkdir()
    compiled(tmp_path).write_text("compiled")
    return tmp_path


def compiled(package: Path) -> Path:
    return package / "verify/__pycache__/states_kernel.explore-1.py311.nbi"


def test_kernels_stay_while_nothing_changes(package: Path) -> None:
    assert drop_stale(package) is False
    assert compiled(package).exists()


@pytest.mark.parametrize("name", [*CONSTANTS, "verify/states_kernel.py"])
def test_a_change_of_any_source_drops_them(package: Path, name: str) -> None:
    (package / name).write_text("ONE = 2\n")
    assert drop_stale(package) is True
    assert not compiled(package).exists()
    assert drop_stale(package) is False


def test_a_folder_of_the_users_choice_is_cleared_too(package: Path, tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
from numba import njit
sys.path.insert(0, sys.argv[1])
from verify.sums_kernel import one
print(one(), sum(one.stats.cache_misses.values()))
"""
    kernel = "from numba import njit\nfrom verify.states_kernel import ONE\n"
    kernel += "@njit(cache=True)\ndef one():\n    return ONE\n"
    (package / "verify/sums_kernel.py").write_text(kernel)
    cache = str(tmp_path / "cache")

    def run() -> list[str]:
        given = {**os.environ, "NUMBA_CACHE_DIR": cache}
        return subprocess.run(
            [sys.executable, "-c", code, str(package)], env=given, capture_output=True, text=True, check=True
        ).stdout.split()

    assert drop_stale(package, cache) is True
    assert run() == ["1", "1"]
    assert drop_stale(package, cache) is False
    assert run() == ["1", "0"]
    (package / "verify/states_kernel.py").write_text("ONE = 2\n")
    assert run() == ["1", "0"], "Numba alone does not see it"
    assert drop_stale(package, cache) is True
    assert run() == ["2", "1"]


def test_every_kernel_imports_the_guard_and_constants_only_from_the_files_it_watches() -> None:
    import unknot

    root = Path(unknot.__file__).parent
    made = ("cache=True", "@kernel(", "@helper(")
    kernels = [path for path in root.rglob("*_kernel.py") if any(mark in path.read_text() for mark in made)]
    assert len(kernels) > 5
    for path in kernels:
        modules = {line.split()[1] for line in path.read_text().splitlines() if line.startswith("from unknot")}
        watched = {"unknot." + name.removesuffix(".py").replace("/", ".") for name in CONSTANTS}
        assert all(module.endswith("_kernel") or module in watched for module in modules), path


READ_ONLY = """
import os, sys, warnings
sys.path.insert(0, sys.argv[1])
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    from unknot.network.distance_kernel import bfs
    bfs.compiled
    from unknot import topologies
    from unknot.network import distances_from
print(distances_from(topologies.ring(4), 0).tolist(), [str(w.message) for w in said])
"""


OBEYING = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.getuid() == 0 else []
"""In front of a command: root, too, may write only where permissions say so."""


def test_a_read_only_installation_without_a_home(tmp_path: Path) -> None:
    """Kernels are compiled into a private folder, with a note; a second process uses them."""
    import shutil

    import unknot

    installed = tmp_path / "site"
    shutil.copytree(Path(unknot.__file__).parent, installed / "unknot", ignore=shutil.ignore_patterns("__pycache__"))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    for folder, _, _ in os.walk(installed):
        Path(folder).chmod(0o555)
    home = tmp_path / "home"
    home.mkdir(mode=0o555)
    given = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "NUMBA_CACHE_DIR")}
    given |= {"HOME": str(home), "TMPDIR": str(scratch), "PYTHONDONTWRITEBYTECODE": "1"}

    def run() -> str:
        done = subprocess.run(
            [*OBEYING, sys.executable, "-c", READ_ONLY, str(installed)],
            env=given,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    said = run()
    assert said.startswith("[0, 1, 2, 1] ")
    assert f"kernels are compiled into {scratch}/unknot-kernels-{os.getuid()}" in said
    made = sorted(scratch.glob(f"unknot-kernels-{os.getuid()}/*/distance_kernel.*.nbc"))
    assert len(made) == 1
    before = [file.stat().st_mtime_ns for file in made]
    assert "kernels are compiled into" in run()
    assert [file.stat().st_mtime_ns for file in made] == before
    assert (scratch / f"unknot-kernels-{os.getuid()}").stat().st_mode & 0o777 == 0o700


def test_a_folder_of_somebody_else_is_not_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    own = tmp_path / f"unknot-kernels-{os.getuid()}"
    assert _private_folder() == own
    assert _private_folder() == own
    own.chmod(0o777)
    other = _private_folder()
    assert other != own
    assert other.stat().st_mode & 0o777 == 0o700
    own.rmdir()
    own.symlink_to(other)
    assert _private_folder() not in (own, other)
