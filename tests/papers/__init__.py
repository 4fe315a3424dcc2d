"""The scripts of examples as modules."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).parents[2] / "examples"


def script(name: str, room: str = "papers") -> ModuleType:
    """A script by its name without ending; it may import those beside it, as when it is run."""
    sys.path.insert(0, str(FOLDER / room))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(FOLDER / room))
