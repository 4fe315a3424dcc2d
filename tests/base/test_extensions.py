"""What packages of others bring is used like what Unknot has, and cannot break it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
import zipfile
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from tests.extension.unknot_wheel.parts import wheel
from unknot._base import extensions
from unknot._base.errors import ExtensionError
from unknot._base.extensions import Catalogue
from unknot.certificates import document

EXAMPLE = Path(__file__).parents[1] / "extension"
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which pip has installed the example, without network."""
    folder = tmp_path_factory.mktemp("extension")
    wheel, info = folder / "unknot_wheel-1.0-py3-none-any.whl", "unknot_wheel-1.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path in sorted((EXAMPLE / "unknot_wheel").glob("*.py")):
            archive.write(path, f"unknot_wheel/{path.name}")
        archive.write(EXAMPLE / "entry_points.txt", f"{info}/entry_points.txt")
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: unknot-wheel\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-index",
        "--no-deps",
    ]
    subprocess.run([*pip, "--target", str(folder / "site"), str(wheel)], check=True, timeout=600)
    return folder / "site"


FORKS = """
import gc, os, sys
import numba, scipy.sparse.csgraph
import unknot.cli.answers.verdicts, unknot.cli.commands.display, unknot.fabrics.named, unknot.routing.named
import unknot.verify.delivery_kernel
from unknot.cli.program import main

gc.freeze()
for line in sys.stdin:
    folder, *words = eval(line)
    child = os.fork()
    if not child:
        os.chdir(folder)
        for number, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        sys.argv[1:] = words
        try:
            main()
        except SystemExit as ended:  # an interpreter that ends looks through all of its memory
            os._exit(ended.code)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""The command, each time in a fork of one process that has imported what all command lines need."""


@pytest.fixture(scope="module")
def forks(installed: Path) -> Iterator[subprocess.Popen[str]]:
    path = os.pathsep.join(filter(None, [str(installed), os.environ.get("PYTHONPATH", "")]))
    with subprocess.Popen(
        [sys.executable, "-c", FORKS], env={**os.environ, "PYTHONPATH": path, "COLUMNS": "100"},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        yield process
        process.communicate()


@pytest.fixture
def run(forks: subprocess.Popen[str], tmp_path: Path) -> Run:
    def unknot(*words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        assert forks.stdin is not None
        assert forks.stdout is not None
        forks.stdin.write(f"{[str(tmp_path), *words]!r}\n")
        forks.stdin.flush()
        ended = int(forks.stdout.readline())
        out, err = ((tmp_path / name).read_text() for name in ("out", "err"))
        assert ended == code, err
        assert "Traceback" not in err
        return subprocess.CompletedProcess(words, ended, out, err)

    return unknot


def test_topology_and_routing(run: Run) -> None:
    found = json.loads(run("check", "wheel(5)", "--routing", "by_hub", "--json").stdout)
    assert (found["network"]["name"], found["routing"], found["deadlock_free"]) == ("wheel(5)", "by_hub", True)
    assert "by_hub needs a wheel" in run("check", "ring(5)", "--routing", "by_hub", code=2).stderr
    assert "did you mean by_hub" in run("check", "wheel(5)", "--routing", "by_hubs", code=2).stderr


def test_claim(run: Run, tmp_path: Path) -> None:
    """It is checked as its package does; the checker alone does not know it."""
    for most in (2, 1):
        claim = {"subject": "diameter", "most": most, "proof": {}}
        (tmp_path / f"{most}.json").write_text(json.dumps(document(wheel(5), None, [claim])))
    assert "accepted: network" in run("accept", "2.json").stdout
    assert "a router is more than 1 hops from router 1" in run("accept", "1.json", code=1).stdout
    run("accept", "--standalone", "plain.py")
    alone = [sys.executable, "-I", str(tmp_path / "plain.py"), str(tmp_path / "2.json")]
    done = subprocess.run(alone, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "'diameter' is none of " in done.stdout


def test_flow_control(run: Run) -> None:
    words = ("check", "wheel(5)", "--routing", "by_hub", "--json", "--switching")
    assert json.loads(run(*words, "shared_room(slots=2)", code=1).stdout)["deadlock_free"] is False
    assert "did you mean shared_room" in run(*words, "shared_rooms", code=2).stderr


def test_format(run: Run, tmp_path: Path) -> None:
    run("convert", "wheel(4)", "wheel.pairs")
    (tmp_path / "wheel.txt").write_bytes((tmp_path / "wheel.pairs").read_bytes())
    for name in ("wheel.pairs", "wheel.txt", "pairs:wheel.txt"):
        assert json.loads(run("show", name, "--json").stdout)["channels"] == 16, name


def test_pattern(run: Run) -> None:
    words = ("simulate", "wheel(5)", "--routing", "by_hub", "--load", "0.1", "--traffic", "next_door")
    found = json.loads(run(*words, "--warmup", "50", "--measure", "200", "--json").stdout)
    assert found["traffic"] == "next_door"


def test_command_and_its_form(run: Run) -> None:
    assert run("degrees", "wheel(5)", "--least", "4").stdout == "degree 5: 1\n"
    answer = json.loads(run("degrees", "wheel(5)", "--max-memory", "2G", "--json").stdout)
    assert answer.pop("manifest")["command"] == ["degrees", "wheel(5)", "--max-memory", "2G", "--json"]
    assert answer == {"network": "wheel(5)", "routers": {"3": 5, "5": 1}}
    assert "Count the routers of each degree." in run("degrees", "--help").stdout


def test_help_lists_commands_by_package(run: Run) -> None:
    done = run("--help")
    own, papers = done.stdout.index("Wheels: an example of a package"), done.stdout.index("Published papers:")
    assert "degrees  Count the routers" in done.stdout[own:]
    assert "permute" in done.stdout[papers:]
    assert "unknot-wheel: entry point useless = unknot_wheel.forgotten:command" in done.stderr


def test_the_core_wins_and_says_so(run: Run) -> None:
    assert json.loads(run("show", "mesh(2, 2)", "--json").stdout)["routers"] == 4
    complaint = run("show", "wheel(5)").stderr
    assert "unknot-wheel: entry point mesh = unknot_wheel.parts:wheel of unknot.topologies is not used" in complaint


@pytest.mark.parametrize(
    "words", [("check", "wheel(5)", "--routing", "broken"), ("useless",)], ids=["routing", "command"]
)
def test_a_broken_one_is_named_when_it_is_used(run: Run, words: tuple[str, ...]) -> None:
    complaint = run(*words, code=2).stderr
    assert f"extension unknot-wheel: entry point {words[-1]} = unknot_wheel.forgotten:" in complaint
    assert "No module named 'unknot_wheel.forgotten'" in complaint


def test_nothing_is_read_for_what_the_core_has() -> None:
    words = ["check", "mesh(3, 3)", "--routing", "dimension_order"]
    program = (
        "import sys, unknot.cli.program\n"
        f"sys.argv[1:] = {words}\n"
        "try:\n    unknot.cli.program.main()\n"
        "finally:\n"
        "    from unknot._base import extensions\n"
        "    read = extensions._installed.cache_info().currsize\n"
        "    print('read:', read, 'papers:', 'unknot_papers' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=600, check=True)
    assert done.stdout.splitlines()[-1] == "read: 0 papers: False"


def points(monkeypatch: pytest.MonkeyPatch, **values: tuple[str, ...]) -> None:
    every = {name: [EntryPoint(name, v, "unknot.routings") for v in listed] for name, listed in values.items()}
    monkeypatch.setattr(extensions, "_installed", lambda kind: every)


def test_clashes_and_things_of_another_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    points(monkeypatch, twice=("math:sin", "math:cos"), number=("math:pi",), sine=("math:sin",), own=("math:tan",))
    parts: Catalogue[Callable[..., object]] = Catalogue("routings", {"own": len})
    with pytest.warns(UserWarning, match="own = math:tan of unknot.routings is not used: Unknot itself"):
        assert list(parts) == ["own", "twice", "number", "sine"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert parts["own"] is len
        assert parts["sine"](0.0) == 0.0
        with pytest.raises(ExtensionError, match=r"math:cos of unknot.routings has the same name: uninstall one"):
            parts["twice"]
        with pytest.raises(ExtensionError, match=r"leads to 3\.14.*cannot be one of the routings"):
            parts["number"]
        with pytest.raises(KeyError):
            parts["nothing"]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert [name for name, _ in parts.usable()] == ["own", "sine"]
    assert sum("is of no use" in str(one.message) for one in told) == 2


@pytest.mark.long
def test_a_fault_of_an_extension_is_not_that_of_unknot(monkeypatch: pytest.MonkeyPatch) -> None:
    class Package:
        name = "unknot-wheel"

    point = EntryPoint("by_hub", "unknot_wheel.parts:by_hub", "unknot.routings")
    vars(point).update(dist=Package)
    monkeypatch.setattr(extensions, "_installed", lambda kind: {"by_hub": [point]})
    for module, author in (
        ("unknot_wheel.parts", "the extension unknot-wheel: entry"),
        ("unknot.cli.program", "Unknot"),
    ):
        with pytest.raises(ZeroDivisionError) as raised:
            exec("1 / 0", {"__name__": module})
        assert extensions.author_of(raised.value).startswith(author)
