"""Entry points as `pyproject.toml` of this checkout declares them, where an older one is installed."""

from __future__ import annotations

import os
import re
import sys
import tomllib
from functools import cache
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src"
BESIDE = ("unknot_booksim", "unknot_collectives", "unknot_explore", "unknot_papers")
"""Packages that are plugged into the core."""
MISSING = [package for package in BESIDE if find_spec(package) is None]
"""Those that are off the path: only the core is tested then."""
SHOWING_ALL = [f"test_{name}.py" for name in ("docs", "example_scripts", "examples", "gallery", "pages", "papers")]
"""Tests at the top whose pages and examples show what all packages bring."""


def declared() -> dict[str, dict[str, str]]:
    """Return the entry points that pyproject.toml declares, by group."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {**project["entry-points"], "console_scripts": project["scripts"]}


def installed() -> dict[str, dict[str, str]]:
    """Return those that Python finds."""
    groups: dict[str, dict[str, str]] = {}
    for point in distribution("unknot").entry_points:
        groups.setdefault(point.group, {})[point.name] = point.value
    return groups


@cache
def needs_missing(path: Path) -> bool:
    """Whether a file of tests is of a package off the path, names one, or imports another file that does."""
    of_packages = {package.removeprefix("unknot_") for package in MISSING}
    within = path.relative_to(ROOT / "tests").parts if path.is_relative_to(ROOT / "tests") else ("",)
    if MISSING and (within[0] in of_packages or within[0] in SHOWING_ALL):
        return True
    text = path.read_text(encoding="utf-8")
    imported = {f"{module}.{name}" for module, name in re.findall(r"from (tests[\w.]*) import (\w+)", text)}
    files = {name: ROOT.joinpath(*name.split(".")).with_suffix(".py") for name in imported}
    homes = [file if file.exists() else file.parent.with_suffix(".py") for file in files.values()]
    return any(package in text for package in MISSING) or any(
        needs_missing(home) for home in homes if home.exists() and home != Path(__file__)
    )


def use_declared() -> None:
    """Let this process and those it starts find what is declared, as `make setup` would; git ignores the folder."""
    groups = declared()
    if installed() == groups or MISSING:
        return
    folder = SOURCES / "unknot.egg-info"
    folder.mkdir(exist_ok=True)
    (folder / "PKG-INFO").write_text(
        f"Metadata-Version: 2.1\nName: unknot\nVersion: {distribution('unknot').version}\n"
    )
    text = "\n".join(
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
        for group, points in groups.items()
    )
    (folder / "entry_points.txt").write_text(text, encoding="utf-8")
    if installed() != groups:
        sys.path.insert(0, str(SOURCES))
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(SOURCES), os.environ.get("PYTHONPATH", "")]))
