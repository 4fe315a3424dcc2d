"""A Python with the core and its libraries, and without the packages beside the core."""

from __future__ import annotations

import sysconfig
import venv
from importlib.metadata import version
from pathlib import Path

import numpy

from tests.declared import SOURCES

CORE = ("unknot", "unknot_start")


def python_alone(folder: Path) -> Path:
    """Make such a Python in a new folder, and return its program; processes that it starts are alike."""
    venv.create(folder, symlinks=True)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    for package in CORE:
        (site / package).symlink_to(SOURCES / package)
    info = site / f"unknot-{version('unknot')}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: unknot\nVersion: {version('unknot')}\n")
    (info / "entry_points.txt").write_text("[console_scripts]\nunknot = unknot_start:main\n")
    (site / "libraries.pth").write_text(f"{Path(numpy.__file__).parents[1]}\n")
    python = folder / "bin" / "python"
    script = python.with_name("unknot")
    script.write_text(f'#!{python}\nfrom unknot_start import main\n\nif __name__ == "__main__":\n    main()\n')
    script.chmod(0o755)
    return python
