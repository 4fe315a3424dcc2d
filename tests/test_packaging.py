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
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "src/unknot/_base/__init__.py"
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


def test_every_dependency_is_bounded_on_both_sides_and_locked():
    lists = [PROJECT["project"]["dependencies"], *PROJECT["project"]["optional-dependencies"].values()]
    texts = [text for texts in lists for text in texts if not text.startswith("unknot[")]
    assert [text for text in texts if not re.fullmatch(r"[\w.-]+(>=[\w.]+,<\d[\w.]*|~=[\d.]+)", text)] == []
    lock = (ROOT / "requirements-dev.txt").read_text()
    pinned = set(re.findall(r"^([\w.-]+)==", lock, re.M))
    dev = [*PROJECT["project"]["dependencies"], *PROJECT["project"]["optional-dependencies"]["dev"]]
    missing = {re.match(r"[\w.-]+", text)[0].lower() for text in dev if not text.startswith("unknot[")} - pinned
    assert missing == set(), "make lock"
    assert lock.count("--hash=sha256:") >= len(pinned) > 50
    assert not re.search(r"://|--index|--find-links", lock)
