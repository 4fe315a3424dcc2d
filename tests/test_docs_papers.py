"""The rows of docs/papers.md against what the scripts of examples/papers print when they are run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.papers import FOLDER
from tests.test_papers import claims_of

NAMES = ["tod", "rcbn", "bnr", "itm", "wormhole"]


def printed(name: str, folder: Path) -> dict[str, str]:
    """Claims and answers that a script prints: an answer and a claim in a line, the reason in the next."""
    words = [sys.executable, str(FOLDER / f"{name}.py")]
    ended = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=3600)
    assert ended.returncode == 0, ended.stderr
    rows = re.findall(r"^(yes|only when|no|open) +(\S.*)\n +\S", ended.stdout, re.M)
    return {claim: answer for answer, claim in rows}


@pytest.mark.campaign
@pytest.mark.parametrize("name", NAMES)
def test_rows_are_what_the_script_prints(name: str, tmp_path: Path) -> None:
    assert list(printed(name, tmp_path).items()) == list(claims_of(name).items())
