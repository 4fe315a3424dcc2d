"""Arrays that nobody can write to, and where the parts of a faulty network stood in the whole one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.errors import NetworkError

IntArray = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Origin:
    """Routers, channels and terminals of a faulty network as they were numbered in the whole one.

    Attributes
    ----------
    routers, channels, terminals : int32 arrays
        Index in the original network of each surviving router, channel and terminal.
    """

    routers: IntArray
    channels: IntArray
    terminals: IntArray


def frozen(values: Any) -> IntArray:
    """An int32 copy-if-needed that nobody can write to."""
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "iub":
        raise NetworkError(f"whole numbers are wanted, got {array.dtype} values")
    if array.size and array.dtype.itemsize >= 4 and not -(2**31) <= int(array.min()) <= int(array.max()) < 2**31:
        raise NetworkError(f"numbers must fit 32 bits; the largest here is {array.max()}, the smallest {array.min()}")
    array = np.array(array, dtype=np.int32, order="C")
    array.setflags(write=False)
    return array
