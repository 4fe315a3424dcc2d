"""That kernels are compiled is said once, in one line."""

from __future__ import annotations

import pytest

from unknot._base import compile_time


def said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *modules: str) -> str:
    monkeypatch.setattr(compile_time, "_announced", [])
    for module in modules:
        compile_time.announce(module)
    return capsys.readouterr().err


def test_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    kernels = ("unknot.verify.states_kernel", "unknot.simulation.engine.cycles_kernel")
    monkeypatch.delenv("UNKNOT_QUIET", raising=False)
    assert said(monkeypatch, capsys, *kernels) == "compiling kernels, once: the first run takes seconds longer\n"
    monkeypatch.setenv("UNKNOT_QUIET", "1")
    assert said(monkeypatch, capsys, *kernels) == ""


def test_rules_of_users_are_not_announced(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("UNKNOT_QUIET", raising=False)
    assert said(monkeypatch, capsys, "my_routing", "unknot.routing.duato", "other_kernel") == ""
