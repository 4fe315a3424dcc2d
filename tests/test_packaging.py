"""Version, citation and the private parts of Numba that the kernels use."""

from __future__ import annotations

import importlib
import re
import tomllib
from pathlib import Path

import numba

import unknot

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_the_version_has_one_source():
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "src/unknot/__init__.py"
    assert re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.M)[1] == unknot.__version__


def test_numba_is_a_version_that_is_known_to_work():
    """Raise the bound after `make test` and `make bench` pass on the new version."""
    (wanted,) = (line for line in PROJECT["project"]["dependencies"] if line.startswith("numba"))
    low, high = re.fullmatch(r"numba>=(\d+\.\d+),<(\d+\.\d+)", wanted).groups()
    here = tuple(int(part) for part in numba.__version__.split(".")[:2])
    assert tuple(map(int, low.split("."))) <= here < tuple(map(int, high.split(".")))


USED = re.compile(r"^from ((?:numba|llvmlite)[\w.]*) import (.+)$", re.M)


def test_what_is_taken_from_numba_exists():
    taken = {found for source in (ROOT / "src").rglob("*_kernel.py") for found in USED.findall(source.read_text())}
    assert taken
    for module, names in taken:
        for name in re.findall(r"\w+", names.split(" as ")[0]):
            assert hasattr(importlib.import_module(module), name), f"Numba {numba.__version__} has no {module}.{name}"
