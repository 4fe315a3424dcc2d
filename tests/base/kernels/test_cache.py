"""Compiled code is loaded while all it was made of is the same, whole, and out of the reach of others."""

from __future__ import annotations

import ast
import hashlib
import importlib
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from unknot._base.kernels import cache as kernel_cache
from unknot._base.kernels.cache import CONSTANTS, _refused, clear, folder, kept, made_of, read, write

CLASSES = {"Relation", "Rule"}
"""Of what kernels import, what is no part of a compiled function."""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of compiled code for one test."""
    monkeypatch.setattr(kernel_cache, "folder", lambda: tmp_path)
    return tmp_path


def test_what_is_written_is_read_again(own: Path) -> None:
    assert read("f") is None
    for content in (b"", b"code", b"other" * 1000):
        write("f", content)
        assert read("f") == content
    assert clear() == 1
    assert not kept()


def test_a_file_that_another_process_removes_meanwhile(own: Path) -> None:
    """A link to nothing is listed, and has no status, as such a file."""
    write("f", b"code")
    (own / "gone.kernel").symlink_to(own / "nowhere")
    assert [path.name for path in kept()] == ["f.kernel"]


def test_every_damage_is_seen(own: Path, seed: int) -> None:
    draw = random.Random(seed)
    write("f", bytes(draw.randrange(256) for _ in range(300)))
    (file,) = kept()
    whole = file.read_bytes()
    for content in (b"", whole[:31], whole[:-1], whole + b"x", bytes(len(whole)), os.urandom(len(whole))):
        file.write_bytes(content)
        assert read("f") is None
    for _ in range(100):
        at, bit = draw.randrange(len(whole)), 1 << draw.randrange(8)
        file.write_bytes(whole[:at] + bytes([whole[at] ^ bit]) + whole[at + 1 :])
        assert read("f") is None
    file.write_bytes(whole)
    assert read("f") is not None


def test_what_was_not_used_for_longest_goes(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_cache, "MOST", 3)
    for age, name in enumerate("cba"):
        write(name, b"")
        os.utime(own / f"{name}.kernel", (1000 + age, 1000 + age))
    assert read("c") == b""  # used now
    write("d", b"")
    assert sorted(file.stem for file in kept()) == ["a", "c", "d"]


def test_where_nothing_can_be_written_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_cache, "folder", lambda: Path("/proc/nowhere"))
    write("f", b"code")
    assert read("f") is None


@pytest.mark.parametrize(
    ("name", "counts"),
    [("a_kernel", True), ("b_kernel", True), ("c_kernel", True), ("d_kernel", False), ("plain", False)],
)
def test_the_kernels_that_a_kernel_is_made_of_count_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, counts: bool
) -> None:
    package = tmp_path / "made_of_kernels"
    package.mkdir()
    for file, text in {
        "__init__": "",
        "a_kernel": "from made_of_kernels.b_kernel import two\nfrom made_of_kernels import plain\n",
        "b_kernel": "from made_of_kernels import (\n    c_kernel,\n)\n",
        "c_kernel": "import made_of_kernels.a_kernel\n",
        "d_kernel": "ONE = 1\n",
        "plain": "from made_of_kernels import d_kernel\n",
    }.items():
        (package / f"{file}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "made_of_kernels", raising=False)
    kernel_cache._source.cache_clear()
    importlib.import_module("made_of_kernels")
    before = kernel_cache.sources_digest.__wrapped__("made_of_kernels.a_kernel")
    (package / f"{name}.py").write_text((package / f"{name}.py").read_text() + "# edited\n")
    kernel_cache._source.cache_clear()
    assert (kernel_cache.sources_digest.__wrapped__("made_of_kernels.a_kernel") != before) == counts
    del sys.modules["made_of_kernels"]


def test_constants_count() -> None:
    assert made_of("unknot.simulation.engine.cycles_kernel") >= {*CONSTANTS, "unknot._base.kernels.words_kernel"}
    assert "unknot.simulation.engine.cycles_kernel" not in made_of("unknot.verify.states_kernel")


def test_imports_are_read_as_python_does() -> None:
    """All that a syntax tree shows of kernels and constants."""
    import unknot

    root = Path(unknot.__file__).parents[1]
    for path in root.rglob("*_kernel.py"):
        names = set()
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module:
                names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
            elif isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
        module = ".".join(path.relative_to(root).with_suffix("").parts)
        importlib.import_module(module.partition(".")[0])
        kernels = {name for name in names if name.endswith("_kernel") or name in CONSTANTS}
        assert kernels <= kernel_cache._source(module)[1], path


PROGRAM = """
import os, sys
from unknot._base.kernels import cache as kernel_cache
digest = ""
kernel_cache.sources_digest = lambda module: digest
from unknot._base.kernels.types_kernel import kept
import numba
numba.njit("int64(int64)")(lambda n: n + 2)  # what Numba sets up to compile, forks have from here
for digest in sys.stdin:
    child = os.fork()
    if not child:
        @kept("int64(int64)", nogil=True)
        def one(n):
            return n + 1
        print(one(1), sum(one.stats.cache_misses.values()), flush=True)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
"""
"""For each line on stdin, a process that needs a kernel and says whether it was compiled."""


def swaps(count: int, own: Path, draw: random.Random) -> None:
    """Put files in the place of others, whole, in part, or sealed as others are: none is read under another name."""
    contents = {f"module.f{n}-{n:032x}": draw.randbytes(draw.randint(0, 300)) for n in range(12)}
    for name, content in contents.items():
        write(name, content)
    files = {name: own / f"{name}.kernel" for name in contents}
    whole = {name: file.read_bytes() for name, file in files.items()}
    for _ in range(count):
        here, there = draw.sample([*contents], 2)
        own_seal, seal = whole[here][:32], whole[there][:32]
        code = contents[there]
        forged = draw.choice(
            [whole[there], seal + contents[here], own_seal + code, hashlib.sha256(code).digest() + code,
             hashlib.sha256(contents[here]).digest() + contents[here], whole[here] + whole[there], seal, b""]
        )  # fmt: skip
        files[here].write_bytes(forged)
        assert read(here) == (contents[here] if forged == whole[here] else None)
        files[here].write_bytes(whole[here])
        assert read(here) == contents[here]


def test_code_is_bound_to_its_name(own: Path, seed: int) -> None:
    swaps(200, own, random.Random(seed))


@pytest.mark.campaign
def test_a_thousand_swaps_of_code(own: Path, seed: int) -> None:
    swaps(1_000, own, random.Random(seed))


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Callable[[str], str]]:
    """Return what a process says in which the digest of the sources of kernels is a given one."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as running:  # fmt: skip

        def one(digest: str) -> str:
            assert running.stdin is not None
            assert running.stdout is not None
            running.stdin.write(digest + "\n")
            running.stdin.flush()
            return running.stdout.readline()

        yield one
        running.communicate()


@pytest.mark.long
def test_damaged_kernels_are_compiled_anew(tmp_path: Path, processes: Callable[[str], str]) -> None:
    """One empty or damaged file once made every command fail, and one in 24 end by a signal."""
    assert [processes("digest"), processes("digest")] == ["2 1\n", "2 0\n"]
    files = sorted((tmp_path / "unknot").glob("*.kernel"))
    assert files
    for damaged in (b"", b"\0" * 5000):
        for file in files:
            file.write_bytes(damaged)
        assert processes("digest") == "2 1\n"
        assert all(file.stat().st_size != len(damaged) for file in files)


@pytest.mark.long
def test_swapped_kernels_are_compiled_anew(tmp_path: Path, processes: Callable[[str], str]) -> None:
    """Code of one function in the file of another once was called as it, and ended three of five processes.

    Nor are kernels loaded that were made of other sources.
    """
    assert [processes(digest) for digest in "abab"] == ["2 1\n", "2 1\n", "2 0\n", "2 0\n"]
    files = sorted((tmp_path / "unknot").glob("*.kernel"))
    contents = [file.read_bytes() for file in files]
    assert len(files) == 2
    for file, content in zip(files, contents[1:] + contents[:1], strict=True):
        file.write_bytes(content)
    assert [processes(digest) for digest in "abab"] == ["2 1\n", "2 1\n", "2 0\n", "2 0\n"]


def test_every_kernel_imports_the_guard_and_constants_only_from_the_files_it_watches() -> None:
    import unknot

    root = Path(unknot.__file__).parent
    made = ("\n@kept(", "\n@kernel", "\n@helper")
    kernels = [path for path in root.rglob("*_kernel.py") if any(mark in path.read_text() for mark in made)]
    assert len(kernels) > 5
    for path in kernels:
        modules = {line.split()[1] for line in path.read_text().splitlines() if line.startswith("from unknot")}
        assert all(module.endswith("_kernel") or module in CONSTANTS for module in modules), path


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
    file = root.joinpath(*name.split(".")[1:]).with_suffix(".py")
    known = definitions(ast.parse(file.read_text()))
    wanted = {
        alias.name
        for path in root.rglob("*_kernel.py")
        for statement in ast.walk(ast.parse(path.read_text()))
        if isinstance(statement, ast.ImportFrom) and statement.module == name
        for alias in statement.names
    } - CLASSES
    if name == "unknot.flow_control.pools":  # by way of the tables of the simulator
        wanted = {"NUMBERS"}
    if name == "unknot.simulation.engine.scratch":  # by way of the state and the setup
        wanted = {"SCRATCH", "rows"}
    assert wanted
    seen: set[str] = set()
    while wanted - seen:
        one = (wanted - seen).pop()
        seen.add(one)
        place = known.get(one)
        if isinstance(place, ast.ImportFrom):
            module = place.module or ""
            assert module in CONSTANTS or not module.startswith("unknot"), f"{one} of {name} comes from {module}"
        elif place is not None:
            wanted |= {node.id for node in ast.walk(place) if isinstance(node, ast.Name)} & known.keys()


OBEYING = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.getuid() == 0 else []
"""In front of a command: root, too, may write only where permissions say so."""
FOLDER = "from unknot._base.kernels.cache import folder, write; write('f', b''); print(folder())"


def test_without_a_home_that_can_be_written_to(tmp_path: Path) -> None:
    """As in containers: a private folder, with a note; a second process uses it again."""
    home, scratch = tmp_path / "home", tmp_path / "scratch"
    scratch.mkdir()
    home.mkdir(mode=0o555)
    given = {key: value for key, value in os.environ.items() if key not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")}
    given |= {"HOME": str(home), "TMPDIR": str(scratch)}
    for _ in range(2):
        done = subprocess.run(
            [*OBEYING, sys.executable, "-c", FOLDER], env=given, capture_output=True, text=True, check=True
        )
        private = scratch / f"unknot-kernels-{os.getuid()}"
        assert done.stdout == f"{private}\n"
        assert f"cannot be written to: Permission denied; kernels are compiled into {private}" in done.stderr
        assert (private / "f.kernel").exists()
        assert private.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("place", ["", "above"])
@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_a_folder_that_others_can_write_to_is_not_trusted(place: str, mode: int, tmp_path: Path) -> None:
    wanted = tmp_path / "above" / "unknot"
    assert _refused(wanted) == ""
    open_to_others = tmp_path / "above" if place else wanted
    open_to_others.chmod(mode)
    assert f"others can write to {open_to_others} (chmod go-w {open_to_others})" in _refused(wanted)
    link = tmp_path / "link"
    link.symlink_to(wanted)
    assert str(open_to_others) in _refused(link), "nor is one that a link leads to"


def test_a_sticky_folder_above_is_trusted_and_one_itself_is_not(tmp_path: Path) -> None:
    above = tmp_path / "above"
    above.mkdir()
    above.chmod(0o1777)
    assert _refused(above / "unknot") == ""
    assert "others can write" in _refused(above)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder to somebody else")
def test_a_folder_of_somebody_else_is_not_trusted(tmp_path: Path) -> None:
    wanted = tmp_path / "above" / "unknot"
    wanted.mkdir(parents=True)
    os.chown(wanted.parent, 12345, 12345)
    assert f"because {wanted.parent} belongs to another user" in _refused(wanted)


def test_a_folder_that_is_not_safe_is_replaced_with_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cache, scratch = tmp_path / "cache", tmp_path / "scratch"
    for place in (cache, scratch):
        place.mkdir()
    cache.chmod(0o777)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(cache))
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    choose = folder.__wrapped__
    private = choose()
    assert private == scratch / f"unknot-kernels-{os.getuid()}"
    assert f"because others can write to {cache} (chmod go-w {cache})" in capsys.readouterr().err
    private.chmod(0o777)
    other = choose()
    assert other not in (private, cache / "unknot")
    assert other.stat().st_mode & 0o777 == 0o700


FIRST = """
import importlib, threading, time
from numba.core import cpu
made = cpu.CPUContext.__init__

def slowly(self, *arguments):
    time.sleep(0.3)
    made(self, *arguments)

cpu.CPUContext.__init__ = slowly
names = ["unknot.verify.cells_kernel", "unknot.routing.relation_kernel"]
threads = [threading.Thread(target=importlib.import_module, args=(name,), daemon=True) for name in names]
for thread in threads:
    thread.start()
    time.sleep(0.1)
for thread in threads:
    thread.join(timeout=600)
print([thread.is_alive() for thread in threads])
"""
"""Two threads that need Numba for the first time: one compiles, the other makes a function that is compiled later."""


def test_two_threads_that_begin_with_kernels_do_not_wait_for_each_other() -> None:
    done = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True, check=True)
    assert done.stdout == "[False, False]\n"
