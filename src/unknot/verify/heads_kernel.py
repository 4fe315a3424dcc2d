# mypy: ignore-errors
"""Blocked heads of the VCs that are left when others were deleted."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unknot._base.kernels.lazy_kernel import kernel
from unknot.verify.cells_kernel import cell_types, inner_types, size_of, words_of
from unknot.verify.fixpoint_kernel import kind_types, mark_types, rule_types
from unknot.verify.follow_kernel import WIDTH


class Heads(NamedTuple):
    """Room for blocked heads, as `unknot.verify.remainder.Remainder` has them."""

    input_vc: npt.NDArray[np.int32]
    address: npt.NDArray[np.int32]
    owner: npt.NDArray[np.int32]
    first: npt.NDArray[np.int64]
    wait: npt.NDArray[np.int32]


def head_types(t):
    return t.NamedTuple((t.I32, t.I32, t.I32, t.I64, t.I32), Heads)


@kernel(
    lambda t: t.void(
        inner_types(t), cell_types(t), kind_types(t), rule_types(t), mark_types(t), t.READ64, t.int64, head_types(t),
        t.I64,
    )
)  # fmt: skip
def pick(inner, cells, kinds, rules, marks, addresses, most, heads, sizes):
    """Pick for each VC that is left up to `most` blocked states, no two of which wait for the same VCs that are left.

    `sizes` becomes how many states and heads were picked.
    """
    cell_first, block, word, bits = cells
    inner_first, kind = inner.first, kinds.of
    live, blocked, removed, commits = marks.live, marks.blocked, marks.removed, rules.commits
    input_vc, address, head_owner, head_first, head_wait = heads
    widest = 0
    for v in range(kind.size):
        widest = max(widest, inner_first[v + 1] - inner_first[v])
    known = np.empty((most, widest), np.bool_)
    count, many = 0, 0
    head_first[0] = 0
    for v in range(kind.size):
        if removed[kind[v]] >= 0:
            continue
        degree = inner_first[v + 1] - inner_first[v]
        picked, base = 0, word[v]
        for c in range(cell_first[v], cell_first[v + 1]):
            rest = blocked[c]
            while rest and picked < most:
                one, alike = rest & -rest, rest
                for e in range(degree):
                    waits = bits[base + 3 + 2 * e] if live[inner_first[v] + e] else 0
                    known[picked, e] = (waits & one) != 0
                    alike &= waits if waits & one else ~waits
                # Those that wait for the same as this one need not be looked at, even where it is left out itself.
                rest &= ~alike
                f, same = 0, False
                while f < picked and not same:
                    same = True
                    for e in range(degree):
                        same = same and known[f, e] == known[picked, e]
                    f += 1
                if same:
                    continue
                input_vc[count] = v
                address[count] = addresses[WIDTH * block[c] + size_of(one - 1)]
                filled = head_first[many]
                for e in range(degree):
                    if known[picked, e]:
                        head_wait[filled] = inner.target[inner_first[v] + e]
                        filled += 1
                        if commits:
                            head_owner[many] = count
                            many += 1
                            head_first[many] = filled
                if not commits:
                    head_owner[many] = count
                    many += 1
                    head_first[many] = filled
                picked += 1
                count += 1
            base += words_of(inner, v)
    sizes[0], sizes[1] = count, many
