"""The rows of docs/papers.md against what the scripts of examples/papers print when they are run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_papers import PAGE, ROOT, claims_of

NAMES = ["tod", "rcbn", "bnr", "itm", "wormhole"]


def scripts(name: str) -> list[str]:
    """The scripts that the first table of the page names for a paper, of which one has its name."""
    (cell,) = re.findall(rf"^\| [^|]* \| ([^|]*`examples/papers/{name}\.py`) \| \[", PAGE, re.M)
    return re.findall("`([^`]+)`", cell)


def printed(script: str, folder: Path) -> dict[str, str]:
    """Claims that a script prints as not holding as they stand: answer and claim in a line, then the reason."""
    words = [sys.executable, str(ROOT / script), str(folder)]
    ended = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=3600, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    rows = re.findall(r"^(yes|only when|no|open) +(\S.*)\n +\S", ended.stdout, re.M)
    return {claim: answer for answer, claim in rows if answer != "yes"}


@pytest.mark.campaign
@pytest.mark.parametrize("name", NAMES)
def test_rows_are_what_the_scripts_print(name: str, tmp_path: Path) -> None:
    answers = [pair for script in scripts(name) for pair in printed(script, tmp_path).items()]
    assert sorted(answers) == sorted(claims_of(name).items())
