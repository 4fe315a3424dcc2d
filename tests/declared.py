"""Entry points as `pyproject.toml` of this checkout declares them, where an older one is installed."""

from __future__ import annotations

import os
import sys
import tomllib
from importlib.metadata import distribution
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src"


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


def use_declared() -> None:
    """Let this process and those it starts find what is declared, as `make setup` would; git ignores the folder."""
    groups = declared()
    if installed() == groups:
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
