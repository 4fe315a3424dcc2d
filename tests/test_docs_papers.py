"""The answers that docs/papers.md shows against what the scripts of examples/papers print when they are run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from made_tables import PAPERS, answers

ROOT = Path(__file__).parents[1]


def printed(script: str, folder: Path) -> dict[str, str]:
    """Claims that a script prints as not holding as they stand: answer and claim in a line, then the reason."""
    words = [sys.executable, str(ROOT / script), str(folder)]
    ended = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=3600, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    rows = re.findall(r"^(yes|only when|no|open) +(\S.*)\n +\S", ended.stdout, re.M)
    return {claim: answer for answer, claim in rows if answer != "yes"}


@pytest.mark.campaign
@pytest.mark.parametrize("name", PAPERS)
def test_rows_are_what_the_scripts_print(name: str, tmp_path: Path) -> None:
    scripts = (f"examples/papers/{script}.py" for script in PAPERS[name])
    found = {claim: answer for script in scripts for claim, answer in printed(script, tmp_path).items()}
    assert found == {claim: answer for claim, answer in answers()[name].items() if answer != "yes"}
