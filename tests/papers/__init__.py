"""The scripts of examples/papers as modules."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).parents[2] / "examples" / "papers"


def script(name: str) -> ModuleType:
    """A script by its name without ending; it may import those beside it, as when it is run."""
    sys.path.insert(0, str(FOLDER))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(FOLDER))
