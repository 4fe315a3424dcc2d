# mypy: ignore-errors
"""The better of two ports that a header draws, on the fast path with answers of the rule that are kept."""

import numpy as np

from unknot._base.kernels.mask_kernel import how_many, lowest, ones
from unknot._base.kernels.types_kernel import inlined
from unknot.simulation.engine.choice_kernel import credits_of_port
from unknot.simulation.engine.selection_kernel import at_random
from unknot.simulation.engine.state_kernel import reader_of, vcs_of


@inlined
def nth(mask, many, number):
    """Return the number of the bit of a mask of `many` bits that has `number` bits before it."""
    if mask == ones(mask, many) << lowest(mask):
        return lowest(mask) + number
    for _ in range(number):
        mask &= mask - 1
    return lowest(mask)


@inlined
def better_row(s, b, w, mask, now):
    """Return the output row of one of two candidates, drawn of a mask: the one whose port has more credits."""
    first, many, drawn = s.words.first_output[w], how_many(mask), at_random(s, b, now, np.int64(1) << 53)
    mine, other = first + nth(mask, many, drawn % many), first + nth(mask, many, drawn // many % many)
    if s.outputs.port[mine] == s.outputs.port[other]:
        return mine
    return other if credits_of_port(s, w, other) > credits_of_port(s, w, mine) else mine


@inlined
def keep_port(s, w, at, row, now):
    """Write the candidates of the port that a header keeps to `requested`, as `choice_kernel.better_of_two` does.

    `row` is that of the answer of the rule.
    """
    b, mask = s.words.first_input[w] + at, s.whole.answers.first[row]
    kept = s.inputs.out[b]
    if kept < 0:
        out = better_row(s, b, w, mask, now)
        reader = reader_of(s, out)
        s.inputs.out[b] = s.buffer[reader] if reader >= 0 else s.setup.num_vcs
    else:
        out = np.int64(s.out_row[kept] if kept < s.setup.num_vcs else -1)
    if out < 0:
        mask &= s.whole.borders.ejection[w]
    else:
        port = s.outputs.port[out]
        mask &= ones(mask, vcs_of(s, port)) << (port - s.words.first_output[w])
    s.whole.wants.requested[at * s.setup.width] = mask
