"""Composite banyans: of 3 × 3 switches, augmented to 4 × 4, and recursively constructed.

The output ports of a switch are called by tag digits and stand in the order 0 (straight on), 1 and 1̄.

The tags of the recursively constructed network (Ren, Gu, Pan & Liu 2003): with n = log2 N a tag has l = 2 n − 4
digits p_{l−1} … p_0, one for each link stage, p_{l−1} first; a digit is 0, 1 or 1̄. It is kept as two integers: bit i
of `ones` says that p_i is 1, bit i of `bars` that it is 1̄. In the first half of the link stages 1 changes a high bit
of the row and 1̄ bit 0; in the second half it is the other way round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Flags
from unknot._base.errors import NetworkError
from unknot._base.shown import Brief
from unknot.network import Network
from unknot.network.families.links import Numbers, powered, staged
from unknot.network.stages import stages


def composite_banyan(terminals: int, *, latency: int = 1) -> Network:
    """A banyan and a reverse banyan network laid over each other (Seo & Feng 1995).

    log2 N stages of N/2 switches. Link stage i joins switch K to K (tag 0), K ⊕ 2^(n−2−i) (tag 1, reverse banyan) and
    K ⊕ 2^i (tag 1̄, banyan), n = log2 N. For even n the last two are parallel channels in the middle.

    References
    ----------
    S. W. Seo, T. Feng: The composite banyan network. IEEE Transactions on Parallel and Distributed Systems, 6(10),
    1995, 1043–1054.

    Examples
    --------
    >>> composite_banyan(16)
    <Network composite_banyan(16): 32 routers, 72 channels, 16 terminals>
    """
    name, n = powered("composite_banyan", terminals, least=2)
    return _switched(name, n, [(1 << (n - 2 - i), 1 << i) for i in range(n - 1)], latency)


def augmented_composite_banyan(terminals: int, *, latency: int = 1) -> Network:
    """A composite banyan of 4 × 4 switches, in a reading of its name.

    Lee & Seo augment the composite banyan to switches of 4 × 4; the text that defines the fourth link was not to be
    had. Here the fourth port changes both bits, to K ⊕ 2^(n−2−i) ⊕ 2^i: every stage can then do what its banyan and
    its reverse banyan do together. For even n it is a second link straight on in the middle.

    References
    ----------
    H. I. Lee, S. W. Seo: The augmented composite banyan network. Fifth International Conference on High Performance
    Computing, Madras, 1998, 285–292.

    Examples
    --------
    >>> augmented_composite_banyan(16)
    <Network augmented_composite_banyan(16): 32 routers, 96 channels, 16 terminals>
    """
    name, n = powered("augmented_composite_banyan", terminals, least=2)
    flips = [(1 << (n - 2 - i), 1 << i) for i in range(n - 1)]
    return _switched(name, n, [(one, bar, one ^ bar) for one, bar in flips], latency)


def rcbn(terminals: int, *, latency: int = 1) -> Network:
    """The recursively constructed composite banyan network (Ren, Gu, Pan & Liu 2003).

    First and last link stage by the rule of the composite banyan, two networks of half the size between, down to the
    8 × 8 composite banyan: 2 log2 N − 3 stages of N/2 switches. With l = 2 log2 N − 4 link stages, tag 1 of link
    stage k leads from switch K to K ⊕ 2^(l/2−k) and tag 1̄ to K ⊕ 1 in the first half; in the second half tag 1 leads
    to K ⊕ 1 and tag 1̄ to K ⊕ 2^(k−l/2+1).

    References
    ----------
    K. Ren, N. Gu, W. Pan, G. Liu: The recursively constructed composite banyan network (in Chinese). Acta Electronica
    Sinica, 31(2), 2003, 228–231.

    Examples
    --------
    >>> rcbn(16)
    <Network rcbn(16): 40 routers, 96 channels, 16 terminals>
    """
    name, n = powered("rcbn", terminals, least=3)
    half = n - 2
    front = [(1 << (half - k), 1) for k in range(half)]
    back = [(1, 1 << (k - half + 1)) for k in range(half, 2 * half)]
    return _switched(name, n, front + back, latency)


def size_of_rcbn(network: Network) -> int:
    """n = log2 N of an RCBN(N), of which switches and links may be dead.

    Raises
    ------
    NetworkError
        If the stages, rows, links or terminals are not those of an RCBN.
    """
    view = stages(network)
    rows = network.radices[1]
    n = rows.bit_length()
    if rows != 1 << (n - 1) or n < 3 or view.count != 2 * n - 3:
        raise NetworkError(f"network {network.name!r} is no RCBN: {view.count} stages of {rows} switches")
    stage, change = view.stage[network.source], view.row[network.source] ^ view.row[network.target]
    high = high_bit(stage, n)
    odd = np.flatnonzero((change != 0) & (change != 1) & (change != 1 << high))
    if odd.size:
        raise NetworkError(
            f"network {network.name!r} is no RCBN: channel {network.channel_name(int(odd[0]))} is none of its links"
        )
    for ends in (network.inject, network.eject):
        if not np.array_equal(view.row[ends], network.numbering.terminals // 2):
            raise NetworkError(f"network {network.name!r} is no RCBN: its terminals stand at other switches")
    return n


def high_bit(link_stage: npt.ArrayLike, n: int) -> Numbers:
    """The bit of the row, other than bit 0, that a link stage can change."""
    k, half = np.asarray(link_stage, dtype=np.int64), n - 2
    return np.asarray(np.where(k < half, half - k, k - half + 1))


def _switched(name: str, n: int, flips: Sequence[tuple[int, ...]], latency: int) -> Network:
    """Stages in which port 0 leads to the same row and the others to the row ⊕ the given numbers."""
    rows, ports = [1 << (n - 1)] * (len(flips) + 1), [1 + len(each) for each in flips]
    return staged(name, rows, ports, lambda stage, row: row ^ np.array([0, *flips[stage]]), 1 << n, latency)


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
    length, digits = at.shape[-1] - 1, digits_along(at)
    ones, bars = (((digits == digit) << np.arange(length)[::-1]).sum(axis=-1) for digit in (1, 2))
    return Tags(length, ones, bars)


def digits_along(rows: Numbers) -> Numbers:
    """The tag digits of the links along given rows."""
    length = rows.shape[-1] - 1
    return digits_of(rows[..., :-1] ^ rows[..., 1:], np.arange(length) < length // 2)


def digits_of(change: Numbers, front: Flags) -> Numbers:
    """The tag digits (2 for 1̄) of links, by their change of row and by the front or rear half."""
    return np.where(change == 0, 0, np.where((change == 1) ^ front, 1, 2))
