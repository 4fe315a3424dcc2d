"""The core stands alone: it works without the packages beside it, names none of them, and its tests pass."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.alone import python_alone
from tests.declared import BESIDE, ROOT, SOURCES, declared
from unknot.network import families

EVERYTHING = """
import importlib, pkgutil, sys
import unknot
for module in pkgutil.walk_packages(unknot.__path__, "unknot."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
assert not [name for name in sys.modules if name.startswith("unknot_") and not name.startswith("unknot_start")]
assert not hasattr(unknot, "collectives") and not hasattr(unknot.studies, "booksim")

from typer.testing import CliRunner
from unknot.cli.program import app, ALL
for line in sys.argv[1:]:
    done = CliRunner().invoke(app, line.split(" "))
    print(line, done.exit_code, done.output if done.exit_code else "")
print(*sorted(ALL))
"""
COMMANDS = {
    "--help": 0,
    "run --help": 0,
    "show mesh(3,3)": 0,
    "check torus(4,4) --routing duato": 0,
    "check ring(4) --routing dimension_order --json": 1,
    "analyse mesh(3,3) --routing west_first": 0,
    "simulate mesh(3,3) --routing dimension_order --load 0.1 --warmup 50 --measure 100": 0,
    "lanes ring(4)": 0,
    "compare ring(4) --simulate": 0,
    "convert mesh(2,2) net.edges": 0,
    "run study.toml": 0,
    "run mesh.cfg": 2,
    "convert mesh(2,2) net.anynet": 2,
    "collective ring(4)": 2,
}
STUDY = '[[design]]\nname = "a"\nnetwork = "ring(3)"\nrouting = "up_down"\n'


def without_packages(python: Path, folder: Path, *words: str) -> str:
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([python, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=3600)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_all_of_the_core_is_imported_and_its_commands_run(tmp_path: Path) -> None:
    python = python_alone(tmp_path / "alone")
    (tmp_path / "study.toml").write_text(STUDY)
    (tmp_path / "mesh.cfg").write_text("topology = mesh;\n")
    *lines, commands = without_packages(python, tmp_path, "-c", EVERYTHING, *COMMANDS).splitlines()
    for command, code in COMMANDS.items():
        assert any(line.startswith(f"{command} {code}") for line in lines), (command, lines)
    assert not {"collective", "multicast", "itm", "permute"} & {*commands.split()}


@pytest.mark.campaign
def test_the_tests_of_the_core_pass_alone(tmp_path: Path) -> None:
    """All files of tests but those that name a package beside the core, which conftest leaves out."""
    without_packages(python_alone(tmp_path / "alone"), ROOT, "-m", "pytest", "-q", "-x", "tests")


WORDS_OF_THE_FIELD = {"bnr", "circle", "collective", "multicast", "schedule"}
"""Subjects of evidence that the checker reads, tables of switches, a protocol, a property: words, and no commands."""


def test_the_core_names_no_package_beside_it_and_nothing_that_they_bring() -> None:
    groups = declared()
    kinds = [kind for kind in groups if kind not in ("console_scripts", "unknot.answers")]
    brought = {name for kind in kinds for name in groups[kind]} - WORDS_OF_THE_FIELD - {*families.__all__}
    commands = {f"unknot {name}" for name in groups["unknot.commands"]}
    named = set()
    for path in (SOURCES / "unknot").rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        texts = re.findall(r'"([\w.-]+)["(]', source)
        found = {word for word in {*commands, *BESIDE} if re.search(rf"\b{word}\b", source)} | (brought & {*texts})
        named |= {f"{path.relative_to(SOURCES)}: {word}" for word in found}
    assert named == set()
