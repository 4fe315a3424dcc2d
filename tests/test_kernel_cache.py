"""Compiled kernels are used until any source that they are made of changes, and never after."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from unknot.kernel_cache import CONSTANTS, _private_folder, clear, sources_digest

CLASSES = {"Relation", "Rule"}
"""Of what kernels import, what is no part of a compiled function."""
COMMANDS = """
import sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from unknot.kernel_cache import keep_apart
keep_apart(Path(sys.argv[1], "package"))
sys.path.insert(0, sys.argv[1] + "/package")
from verify.sums_kernel import one
print(one(), sum(one.stats.cache_misses.values()))
"""
HELPER = """
from numba import njit
ONE = 1
@njit(cache=True)
def helped():
    return ONE
"""
KERNEL = """
from numba import njit
from verify.helper_kernel import ONE, helped
@njit(cache=True)
def one():
    return 10 * ONE + helped()
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    package = tmp_path / "package"
    for name in (*CONSTANTS, "verify/helper_kernel.py", "verify/sums_kernel.py"):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text("ONE = 1\n")
    (package / "verify/helper_kernel.py").write_text(HELPER)
    (package / "verify/sums_kernel.py").write_text(KERNEL)
    return package


def run(package: Path, cache: Path | None) -> list[str]:
    """What the kernel of a package returns, and how many functions had to be compiled for it."""
    given = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"}
    given |= {} if cache is None else {"NUMBA_CACHE_DIR": str(cache)}
    words = [sys.executable, "-B", "-c", COMMANDS, str(package.parent)]
    return subprocess.run(words, env=given, capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_change_of_a_helper_is_seen(elsewhere: bool, package: Path, tmp_path: Path) -> None:
    """The kernel inlines a function and a constant of another file, whose size and time stay the same."""
    cache = tmp_path / "cache" if elsewhere else None
    helper = package / "verify/helper_kernel.py"
    before = helper.stat()
    assert run(package, cache) == ["11", "1"]
    assert run(package, cache) == ["11", "0"]
    helper.write_text(HELPER.replace("ONE = 1", "ONE = 2"))
    os.utime(helper, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert run(package, cache) == ["22", "1"]
    kept = list(tmp_path.rglob("*_kernel.*.nbi"))
    assert len(kept) == 2, "those of the other sources are removed"
    assert all(sources_digest(package) in file.name for file in kept)


@pytest.mark.parametrize("name", [*CONSTANTS, "verify/sums_kernel.py"])
def test_every_source_counts(package: Path, name: str) -> None:
    before = sources_digest(package)
    assert sources_digest(package) == before
    (package / name).write_text("ONE = 2\n")
    assert sources_digest(package) != before


def test_other_compiled_functions_keep_their_names(tmp_path: Path) -> None:
    """Those of users, and of other packages with a file of the same name, are left to Numba."""
    (tmp_path / "my_kernel.py").write_text("from numba import njit\n@njit(cache=True)\ndef f():\n    return 3\n")
    code = "import sys; sys.path.insert(0, sys.argv[1]); import unknot.types_kernel, my_kernel; my_kernel.f()"
    subprocess.run([sys.executable, "-B", "-c", code, str(tmp_path)], check=True)
    (kept,) = tmp_path.rglob("my_kernel.*.nbi")
    assert kept.name.startswith("my_kernel.f-2.py")
    assert kept.name.count(".") == 3


def test_a_folder_is_cleared_of_other_sources_only(tmp_path: Path) -> None:
    stays = ["a_kernel.f-1.py311.0123-0.61.2-0.44.0.nbi", "rule-1.nbr", "mine.f-1.py311.nbi"]
    goes = ["a_kernel.f-1.py311.nbi", "a_kernel.f-1.py311.1.nbc", "a_kernel.f-1.py311.4567-0.61.2-0.44.0.1.nbc"]
    for name in (*stays, *goes):
        (tmp_path / name).touch()
    clear(tmp_path, "0123")
    clear(tmp_path / "nowhere", "0123")
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted(stays)


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


def definitions(module: ast.Module) -> dict[str, ast.AST]:
    """What defines each name of a module: a statement, or for imported names where they come from."""
    found: dict[str, ast.AST] = {}
    for statement in module.body:
        if isinstance(statement, ast.ImportFrom):
            found |= {alias.asname or alias.name: statement for alias in statement.names}
        elif isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            found[statement.name] = statement
        elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
            for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
                found |= {name.id: statement for name in ast.walk(target) if isinstance(name, ast.Name)}
    return found


@pytest.mark.parametrize("name", CONSTANTS)
def test_what_kernels_take_of_a_watched_file_is_defined_there(name: str) -> None:
    import unknot

    root = Path(unknot.__file__).parent
    watched = "unknot." + name.removesuffix(".py").replace("/", ".")
    known = definitions(ast.parse((root / name).read_text()))
    wanted = {
        alias.name
        for path in root.rglob("*_kernel.py")
        for statement in ast.walk(ast.parse(path.read_text()))
        if isinstance(statement, ast.ImportFrom) and statement.module == watched
        for alias in statement.names
    } - CLASSES
    assert wanted
    seen: set[str] = set()
    while wanted - seen:
        one = (wanted - seen).pop()
        seen.add(one)
        place = known.get(one)
        if isinstance(place, ast.ImportFrom):
            assert not (place.module or "").startswith("unknot"), f"{one} of {name} comes from {place.module}"
        elif place is not None:
            wanted |= {node.id for node in ast.walk(place) if isinstance(node, ast.Name)} & known.keys()


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


FIRST = """
import importlib, threading, time
from numba.core import cpu
made = cpu.CPUContext.__init__

def slowly(self, *arguments):
    time.sleep(0.3)
    made(self, *arguments)

cpu.CPUContext.__init__ = slowly
names = ["unknot.verify.waiting_kernel", "unknot.routing.no_rule_kernel"]
threads = [threading.Thread(target=importlib.import_module, args=(name,), daemon=True) for name in names]
for thread in threads:
    thread.start()
    time.sleep(0.1)
for thread in threads:
    thread.join(timeout=60)
print([thread.is_alive() for thread in threads])
"""
"""Two threads that need Numba for the first time: one compiles, the other makes a function that is compiled later."""


def test_two_threads_that_begin_with_kernels_do_not_wait_for_each_other() -> None:
    done = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True, check=True)
    assert done.stdout == "[False, False]\n"
