"""Commands of pages in this process, those of a page in one folder; a line of JSON for each."""

from __future__ import annotations

import json
import os
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from typer.testing import CliRunner

from tests.test_docs import BEFORE, ROOT
from unknot.cli.program import app


def run(commands: list[str]) -> Iterator[tuple[str, int, str]]:
    """Each command with its exit code and standard output."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("docs", "examples", "tests"):
            (Path(folder) / name).symlink_to(ROOT / name)
        os.chdir(folder)
        for words in commands:
            for line in (*BEFORE.get(words, ()), words):
                result = CliRunner().invoke(app, shlex.split(line))
            yield words, result.exit_code, result.stdout.replace(folder, "FOLDER")
        os.chdir(ROOT)


if __name__ == "__main__":
    for page in json.load(sys.stdin):
        for row in run(page):
            print(json.dumps(row), flush=True)
