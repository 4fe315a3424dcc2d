"""Routing tags of the recursively constructed composite banyan network (Ren, Gu, Pan & Liu 2003).

With n = log2 N a tag has l = 2 n − 4 digits p_{l−1} … p_0, one for each link stage, p_{l−1} first; a digit is
0, 1 or 1̄. It is kept as two integers: bit i of `ones` says that p_i is 1, bit i of `bars` that it is 1̄. In
the first half of the link stages 1 changes a high bit of the row and 1̄ bit 0; in the second half it is the
other way round.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unknot._base.shown import Brief
from unknot_papers.rcbn.topology import high_bit

Numbers = npt.NDArray[np.int64]

BAR = "1̄"


@dataclass(frozen=True, eq=False, repr=False)
class Tags(Brief):
    """Tags of equal length.

    Attributes
    ----------
    digits : int
        Digits of each, l.
    ones, bars : int64 arrays of one shape
        Which digits are 1, which are 1̄.
    """

    digits: int
    ones: Numbers
    bars: Numbers

    def __len__(self) -> int:
        return int(self.ones.size)

    def texts(self) -> list[str]:
        """The tags in writing, p_{l−1} first."""
        return [
            "".join(BAR if bars >> i & 1 else str(ones >> i & 1) for i in reversed(range(self.digits)))
            for ones, bars in zip(self.ones.ravel().tolist(), self.bars.ravel().tolist(), strict=True)
        ]

    def digit(self, i: int) -> Numbers:
        """Digit p_i of each: 0, 1, or 2 for 1̄."""
        return np.asarray((self.ones >> i & 1) + 2 * (self.bars >> i & 1))


def tags_of_rows(rows: npt.ArrayLike) -> Tags:
    """The tags that lead along given rows; the inverse of `rows_of`, for messages between rows joined by links."""
    at = np.asarray(rows, dtype=np.int64)
    length = at.shape[-1] - 1
    n = length // 2 + 2
    ones, bars = np.zeros(at.shape[:-1], dtype=np.int64), np.zeros(at.shape[:-1], dtype=np.int64)
    for k in range(length):
        change = at[..., k] ^ at[..., k + 1]
        high = np.int64(1) << high_bit(k, n)
        one, bar = (high, 1) if k < n - 2 else (1, high)
        ones |= (change == one).astype(np.int64) << (length - 1 - k)
        bars |= (change == bar).astype(np.int64) << (length - 1 - k)
    return Tags(length, ones, bars)
