"""The part of a build that joins the checker: wheels have it as one file, share/unknot/plain.py.

pyproject.toml names it; nothing imports it at run time.
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class JoinedChecker(BuildHookInterface):  # type: ignore[type-arg, misc]
    """Joins the files of the checker before a wheel is made, and takes the joined file away after it."""

    @property
    def file(self) -> Path:
        return Path(self.directory) / "plain.py"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Join the files; an editable installation needs none, as `unknot accept --standalone FILE` writes it."""
        if version == "editable":
            return
        joining = runpy.run_path(str(Path(self.root) / "src/unknot/certificates/joining.py"))
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(joining["joined"](), encoding="utf-8")
        build_data["shared_data"][str(self.file)] = "share/unknot/plain.py"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the file, which is in the wheel now."""
        self.file.unlink(missing_ok=True)
