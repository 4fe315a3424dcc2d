"""Texts of objects are a line, whatever they hold."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
from collections.abc import Callable
from typing import Any

import pytest

import unknot
from unknot import verify
from unknot._base.shown import Brief
from unknot.lane_assignment import lanes
from unknot.network.families import mesh, ring, torus
from unknot.routing import dimension_order
from unknot.simulation import replay, simulate
from unknot.traffic import pattern

LONG = ("NDArray", "Network", "Relation", "Verdict", "Times", "Values", "Numbers")
"""What makes the text that dataclasses have by themselves a long one."""


def public_classes() -> list[type]:
    found: dict[str, Any] = {name: getattr(unknot, name) for name in unknot.__all__}
    for module in pkgutil.walk_packages(unknot.__path__, "unknot."):
        if module.ispkg:
            room = importlib.import_module(module.name)
            found |= {f"{module.name}.{name}": getattr(room, name) for name in getattr(room, "__all__", ())}
    return [item for item in found.values() if isinstance(item, type) and dataclasses.is_dataclass(item)]


def test_public_classes_with_arrays_have_short_texts() -> None:
    classes = public_classes()
    long = [
        cls.__name__
        for cls in classes
        if any(word in str(f.type) for f in dataclasses.fields(cls) if f.repr for word in LONG)
        and hasattr(cls.__repr__, "__wrapped__")  # made by dataclasses
    ]
    assert len(classes) > 60
    assert sum(cls.__repr__ is Brief.__repr__ for cls in classes) > 35
    assert set(long) <= {"VirtualChannels", "Fault", "Setup", "Format"}


OBJECTS: dict[str, Callable[[], Any]] = {
    "lanes": lambda: lanes("mesh(3, 3)", time_limit=600),
    "pattern": lambda: pattern(mesh(16, 16), "transpose"),
    "loads": lambda: verify.loads(dimension_order(mesh(8, 8))),
    "delivery": lambda: verify.deliver(dimension_order(mesh(4, 4))),
    "certificate": lambda: verify.check(dimension_order(mesh(4, 4))).certificate,
    "configuration": lambda: verify.check(dimension_order(torus(8, 8), 1)).configuration,
    "replay": lambda: replay(
        dimension_order(ring(8), 1),
        verify.check(dimension_order(ring(8), 1)).configuration,  # type: ignore[arg-type]
    ),
    "series": lambda: simulate(dimension_order(mesh(3, 3)), 0.1, warmup=50, measure=500, interval=5).series,
}


@pytest.mark.parametrize("name", OBJECTS)
def test_objects_are_a_line(name: str) -> None:
    text = repr(OBJECTS[name]())
    assert text.startswith("<")
    assert "\n" not in text
    assert len(text) < 500, text
