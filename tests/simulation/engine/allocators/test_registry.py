"""Allocators register themselves, each in a file of its own."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import get_args

import pytest

from unknot.simulation.engine import allocators
from unknot.simulation.engine.allocators.registry import REGISTERED, Allocator, Registered, names, register
from unknot.simulation.engine.codes import ALLOCATORS, LOOK_AT_ALL, WAVEFRONT


def test_each_has_a_file_and_the_place_that_its_code_says() -> None:
    assert names() == get_args(Allocator) == ALLOCATORS
    assert sorted(REGISTERED) == list(range(len(ALLOCATORS)))
    files = {path.stem for path in Path(allocators.__path__[0]).glob("*.py")}
    assert {name for name in files if not name.endswith("_kernel")} == {*ALLOCATORS, "registry", "__init__"}


def test_those_that_look_at_all_requests_have_a_kernel_and_the_last_codes() -> None:
    for code, one in REGISTERED.items():
        assert bool(one.kernel) == (code >= WAVEFRONT) == (one.name in LOOK_AT_ALL)
        assert not one.kernel or find_spec(f"{allocators.__name__}.{one.kernel}")


def test_a_code_is_taken_once() -> None:
    register(REGISTERED[0])
    with pytest.raises(ValueError, match="allocator pim has the code 0 of islip"):
        register(Registered("pim", 0))
    assert REGISTERED[0].name == "islip"
