"""Documented names below `unknot` whose packages stand beside it."""

from __future__ import annotations

import subprocess
import sys

import pytest

import unknot_booksim


def test_a_package_beside_the_core_has_its_documented_name() -> None:
    """The same module, not a copy whose classes would differ, also inside."""
    import unknot.studies.booksim
    import unknot.studies.booksim.parse
    from unknot.studies.booksim import Setup, parse

    assert unknot.studies.booksim is unknot_booksim
    assert unknot.studies.booksim.parse is parse is unknot_booksim.parse  # type: ignore[attr-defined]
    assert Setup.__module__ == "unknot_booksim.setup"
    assert unknot_booksim.__spec__.name == "unknot_booksim"


def test_what_nobody_has_is_missing_as_ever() -> None:
    import unknot.studies

    with pytest.raises(ModuleNotFoundError, match=r"No module named 'unknot\.studies\.nothing'"):
        __import__("unknot.studies.nothing")
    with pytest.raises(ModuleNotFoundError, match=r"nothing'"):
        __import__("unknot.studies.booksim.nothing")
    with pytest.raises(AttributeError, match=r"module 'unknot\.studies' has no attribute 'nothing'"):
        _ = unknot.studies.nothing


def test_no_metadata_is_read_for_names_of_the_core() -> None:
    program = (
        "import unknot, unknot.studies.store, unknot.fabrics.formats\n"
        "from unknot.network import edges\n"
        "from unknot import check, simulate\n"
        "from unknot._base import extensions\n"
        "assert extensions._installed.cache_info().currsize == 0\n"
        "assert hasattr(unknot.studies, 'booksim') and extensions._installed.cache_info().currsize == 1\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=600)
