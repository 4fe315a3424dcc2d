"""How long the threads of an analysis are waited for."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from unknot.verify import effort


@pytest.mark.parametrize(("kind", "waits"), [(None, [0.75, 0.0]), (ValueError, [0.75, 0.0]), (KeyboardInterrupt, [])])
def test_threads_are_waited_for_a_second_together(
    kind: type[BaseException] | None, waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """But not at all after Ctrl-C."""
    ticks, waited = iter([10.0, 10.25, 11.5]), list[float]()
    monkeypatch.setattr(effort, "time", SimpleNamespace(monotonic=lambda: next(ticks)))
    pool = effort._Pool(2, lambda start, stop: None, [(0, 1), (1, 2)])
    pool._threads = [SimpleNamespace(join=waited.append)] * 2  # type: ignore[list-item]
    pool.__exit__(kind, None, None)
    assert waited == waits
    assert pool._stopped.is_set()


def test_one_thread_says_how_far_it_came(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time ends after the second of three blocks."""
    ticks = iter([0.0, 0.5, 2.0])
    monkeypatch.setattr(effort, "clock", lambda: next(ticks))
    alone, done = effort.Effort(end=1.0, threads=1), list[tuple[int, int]]()

    def work(_: None, start: int, stop: int) -> None:
        done.append((start, stop))

    with pytest.raises(effort.TimeUpError, match="blocks: 4 of 5"):
        alone.over("blocks", 5, 2, lambda: None, work)
    assert done == [(0, 2), (2, 4)]
