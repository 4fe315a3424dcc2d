"""Options that many functions and commands have: one default, whatever takes it."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import unknot
from unknot._base.errors import UnknotError
from unknot._base.threads import processors, threads_of
from unknot.cli.program import command_named, questions
from unknot.network.families import line, mesh, torus
from unknot.routing import dimension_order
from unknot.simulation import saturation, simulate
from unknot.simulation.run.start import FLITS, ROUTERS, run_threads

DEFAULTS = {"seed": 1, "threads": None, "jobs": None}
COMMANDS: dict[str, Any] = {"seed": 1, "threads": None}


def public() -> dict[str, Callable[..., Any]]:
    """Every public function, by its name."""
    found: dict[str, Callable[..., Any]] = {}
    for room in pkgutil.walk_packages(unknot.__path__, "unknot."):
        if not room.name.endswith(("__main__", "_kernel")):
            module = importlib.import_module(room.name)
            for name in getattr(module, "__all__", ()):
                if inspect.isfunction(getattr(module, name)):
                    found[f"{room.name}.{name}"] = getattr(module, name)
    return found


@pytest.mark.parametrize("option", DEFAULTS)
def test_functions_have_one_default(option: str) -> None:
    defaults: dict[str, Any] = {}
    for name, function in public().items():
        parameter = inspect.signature(function).parameters.get(option)
        if parameter is not None and parameter.default is not parameter.empty:
            defaults[name] = parameter.default
    assert defaults
    assert {name: found for name, found in defaults.items() if found != DEFAULTS[option]} == {}


@pytest.mark.parametrize("option", COMMANDS)
def test_commands_have_one_default(option: str) -> None:
    defaults = {
        name: parameter.default
        for name in questions()
        for parameter in command_named(name).params
        if parameter.name == option
    }
    assert defaults
    assert set(defaults.values()) == {COMMANDS[option]}, defaults


def test_threads_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unknot._base.threads._share", [3])
    assert processors() <= 3
    assert threads_of(None, "check", wrong=UnknotError) == processors()
    assert threads_of(None, "check", wrong=UnknotError, useful=0) == 1
    assert threads_of(7, "check", wrong=UnknotError, useful=1) == 7
    assert run_threads(None, torus(4, 4), 1.0) == 1
    large = line(ROUTERS * processors())
    assert run_threads(None, large, 0.01) == processors()
    assert run_threads(None, large, 0.01, alone=True) == 1
    busy = line(2 * FLITS)
    assert run_threads(None, busy, 1.0) == min(2, processors())
    assert run_threads(None, busy, 0.9) == 1


@pytest.mark.parametrize("threads", [0, -1, True, 1.5, 10**30, "2"])
@pytest.mark.parametrize(
    "function",
    [
        unknot.verify.check,
        unknot.check_all,
        unknot.deliver,
        partial(simulate, load=0.1),
        saturation,
    ],
)
def test_senseless_threads_are_refused(threads: Any, function: Callable[..., Any]) -> None:
    with pytest.raises(UnknotError, match="the number of threads must be at least 1, and at most 1024, got "):
        function(dimension_order(mesh(2, 2)), threads=threads)
