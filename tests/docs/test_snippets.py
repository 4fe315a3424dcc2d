"""The Python of every page runs, and prints what is shown below it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_pages import PAGES, ROOT

BLOCK = re.compile(r"^```python\n(?!>>> )(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S)
ELSEWHERE = {"study-files.md"}
"""Pages whose code is run by test_docs.py, with what it needs."""
WITH_CODE = [page for page in PAGES if BLOCK.search(page.read_text(encoding="utf-8")) and page.name not in ELSEWHERE]
END = "--- end of a block ---\n"


@pytest.mark.campaign
@pytest.mark.parametrize("page", WITH_CODE, ids=[str(page.relative_to(ROOT)) for page in WITH_CODE])
def test_the_python_of_a_page(page: Path, tmp_path: Path) -> None:
    """All blocks in one program, in a folder in which `examples` leads to the examples."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    program = "".join(f"{code}\nprint({END!r}, end='')\n" for code, _ in blocks)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=1200, check=False
    )
    assert done.returncode == 0, done.stderr
    for (_, shown), printed in zip(blocks, done.stdout.split(END), strict=False):
        assert not shown or printed == shown
