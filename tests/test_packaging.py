"""Version, citation and the private parts of Numba that the kernels use."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import tomllib
from pathlib import Path

import numba
import pytest
import release_version
from release_version import newest_release

import unknot

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_the_citation_names_the_newest_release():
    newest = newest_release((ROOT / "CHANGELOG.md").read_text())
    assert re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.M)[1] == "{}.{}.{}".format(*newest)


def test_a_build_has_the_version_of_its_tag(tmp_path):
    """A release only at its tag; an sdist keeps its version; without git or a tag the next one is in development."""

    def git(*words):
        subprocess.run(["git", "-C", tmp_path, "-c", "user.name=n", "-c", "user.email=e", *words], check=True)

    (tmp_path / "CHANGELOG.md").write_text("## [Unreleased]\n\n## [0.9.3] - 2030-01-02\n\n## [0.9.2] - 2029-01-02\n")
    assert release_version.version(tmp_path) == "0.9.4.dev0"
    git("init", "--quiet")
    git("add", "CHANGELOG.md")
    git("commit", "--quiet", "-m", "first")
    assert release_version.version(tmp_path) == "0.9.4.dev0"
    git("tag", "other")
    git("tag", "v0.9.3")
    assert release_version.version(tmp_path) == "0.9.3"
    git("commit", "--quiet", "--allow-empty", "-m", "second")
    assert release_version.version(tmp_path) == "0.9.4.dev0"
    (tmp_path / "PKG-INFO").write_text("Metadata-Version: 2.4\nName: unknot\nVersion: 1.2.3\n")
    assert release_version.version(tmp_path) == "1.2.3"
    with pytest.raises(ValueError, match="has no line"):
        release_version.newest_release("## [Unreleased]\n")


def test_the_package_knows_the_version_that_was_installed():
    assert unknot.__version__ == importlib.metadata.version("unknot")
    assert "__version__" in unknot.__all__


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
