"""The checker as one file, joined once for the tests of a process."""

from __future__ import annotations

import atexit
import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from unknot.certificates.joining import joined


@cache
def standalone() -> Path:
    """The file, in a folder of its own under the name that a user gives it."""
    folder = Path(mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    file = folder / "plain.py"
    file.write_text(joined(), encoding="utf-8")
    return file
