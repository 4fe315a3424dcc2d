"""Property tests that must also meet rare cases."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import core, seed


def draw_until(enough: Callable[[], bool], test: Callable[[], object], rounds: int = 200) -> None:
    """Run a property test until it has met enough of the rare cases, each time with other examples.

    Raises
    ------
    AssertionError
        If it has not after that number of rounds: the strategy hardly makes them.
    """
    run = core.global_force_seed
    for number in range(rounds):
        seed(f"{run} {number}")(test)()
        if enough():
            return
    raise AssertionError(f"rare cases were not met in {rounds} rounds")
