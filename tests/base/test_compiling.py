"""That kernels are compiled is said once, in one line where nobody watches."""

from __future__ import annotations

import io
import os
import sys

import pytest

from unknot._base.compiling import Announcement
from unknot._base.progress import in_notebook


def said(monkeypatch: pytest.MonkeyPatch, *modules: str, quiet: bool = False) -> str:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(os, "environ", {"UNKNOT_QUIET": "1"} if quiet else {})
    found = Announcement()
    for module in modules:
        found.began(module)
        found.ended(module)
    return stream.getvalue()


def test_one_line_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    kernels = ("unknot.verify.states_kernel", "unknot.simulation.engine.cycles_kernel")
    assert said(monkeypatch, *kernels) == "compiling kernels, once, about 10 s\n"
    assert said(monkeypatch, *kernels, quiet=True) == ""


def test_rules_of_users_are_not_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(monkeypatch, "my_routing", "unknot.routing.duato", "other_kernel") == ""


def test_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr("unknot._base.compiling.CALM", 0.3)
    monkeypatch.setenv("TERM", "xterm")
    found = Announcement()
    found._bar("compiling kernels, once, about 10 s")
    assert "compiling kernels" in stream.getvalue()
    assert not in_notebook()
