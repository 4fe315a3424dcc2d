"""Findings of checks as SARIF 2.1.0, which code hosts show at their lines."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from unknot._base.output import write_text
from unknot._base.version import __version__
from unknot.studies.checks import Check

RULES = {
    "no": "The routing can deadlock or loses packets.",
    "yes": "A refutation was expected.",
    "open": "Undecided.",
}
"""Kinds of findings by the answer."""


def sarif(checks: Iterable[Check]) -> dict[str, Any]:
    """Return a log with a result for each check whose answer was not expected."""
    rules = [{"id": f"unknot-{answer}", "shortDescription": {"text": text}} for answer, text in RULES.items()]
    driver = {"name": "unknot", "version": __version__, "rules": rules}
    results = [_result(check) for check in checks if check.message]
    run = {"tool": {"driver": driver}, "results": results}
    return {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}


def _result(check: Check) -> dict[str, Any]:
    place = {"artifactLocation": {"uri": _uri(check.file)}, "region": {"startLine": check.line}}
    return {
        "ruleId": f"unknot-{check.answer}",
        "level": "warning" if check.answer == "open" else "error",
        "message": {"text": check.message},
        "locations": [{"physicalLocation": place}],
    }


def _uri(file: str) -> str:
    """The file as seen from the current folder, or absolute where it lies elsewhere."""
    name = os.path.relpath(file)
    return Path(file).resolve().as_uri() if name.startswith("..") else quote(Path(name).as_posix())


def write_sarif(checks: Iterable[Check], path: Path) -> None:
    """Write the log."""
    write_text(path, json.dumps(sarif(checks), indent=2) + "\n")
