"""Clocks that run 20 times as fast, in every process that has this folder on its path of modules."""

import time
from collections.abc import Callable

TIMES = 20


def fast(clock: Callable[[], float]) -> Callable[[], float]:
    begin = clock()
    return lambda: begin + TIMES * (clock() - begin)


for _name in ("monotonic", "perf_counter", "process_time", "thread_time", "time"):
    setattr(time, _name, fast(getattr(time, _name)))
    setattr(time, f"{_name}_ns", fast(getattr(time, f"{_name}_ns")))
