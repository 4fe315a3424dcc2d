"""How long the threads of an analysis are waited for."""

from __future__ import annotations

from concurrent.futures import Future
from contextlib import suppress
from queue import SimpleQueue
from types import SimpleNamespace

import pytest

from unknot._base.work import counting_work, work_done
from unknot.verify import effort


@pytest.mark.parametrize(
    ("error", "waits"), [(None, [0.75, 0.0]), (ValueError, [0.75, 0.0]), (KeyboardInterrupt, [])]
)
def test_threads_are_waited_for_a_second_together(
    error: type[BaseException] | None, waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """But not at all after Ctrl-C."""
    ticks, waited = iter([10.0, 10.25, 11.5]), list[float]()
    monkeypatch.setattr(effort, "time", SimpleNamespace(monotonic=lambda: next(ticks)))
    thread = SimpleNamespace(start=lambda: None, join=waited.append)
    monkeypatch.setattr(effort, "threading", SimpleNamespace(Thread=lambda **_: thread))
    todo = SimpleQueue[tuple[Future[None], int, int]]()
    for block in ((0, 1), (1, 2)):
        todo.put((Future(), *block))
    with suppress(ValueError, KeyboardInterrupt), effort._workers(2, todo, lambda start, stop: None):
        if error is not None:
            raise error
    assert waited == waits
    assert todo.empty()


@pytest.mark.parametrize("threads", [1, 3])
def test_the_first_error_in_the_order_of_the_blocks_is_raised(threads: int) -> None:
    def work(_: None, start: int, stop: int) -> int:
        if start >= 2:
            raise ValueError(start)
        return start

    assert effort.Effort(threads).over("blocks", 2, 1, lambda: None, work, input_vcs=1) == [0, 1]
    with pytest.raises(ValueError, match="2"):
        effort.Effort(threads).over("blocks", 9, 1, lambda: None, work, input_vcs=1)


def test_one_thread_says_how_far_it_came(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time ends after the second of three blocks."""
    ticks = iter([0.0, 0.5, 2.0])
    monkeypatch.setattr(effort, "clock", lambda: next(ticks))
    alone, done = effort.Effort(end=1.0, threads=1), list[tuple[int, int]]()

    def work(_: None, start: int, stop: int) -> None:
        done.append((start, stop))

    with pytest.raises(effort.TimeUpError, match="blocks: 4 of 5"):
        alone.over("blocks", 5, 2, lambda: None, work, input_vcs=1)
    assert done == [(0, 2), (2, 4)]


@pytest.mark.parametrize("threads", [1, 3])
def test_counted_work_ends_at_the_same_block_whatever_threads_do(threads: int) -> None:
    """Blocks of a hundredth of a second: three of them are begun with the work of 0.025 s."""
    done, vcs = list[int](), round(0.01 / effort.PER_STATE)

    def work(_: None, start: int, stop: int) -> None:
        done.append(start)

    with counting_work(), pytest.raises(effort.TimeUpError, match="blocks: 3 of 9"):
        effort.Effort(threads, 0.025).over("blocks", 9, 1, lambda: None, work, input_vcs=vcs)
    assert sorted(done) == [0, 1, 2]
    with counting_work():
        effort.Effort(threads, 1.0).over("blocks", 9, 100, lambda: None, work, input_vcs=vcs)
        assert work_done() == pytest.approx(0.09)
