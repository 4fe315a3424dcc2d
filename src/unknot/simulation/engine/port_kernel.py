# mypy: ignore-errors
"""The better of two ports that a header draws, as `choice_kernel.better_of_two`, by answers of the rule as bits.

Bits have the order in which the rule names the candidates.
"""

import numpy as np

from unknot._base.kernels.mask_kernel import how_many, lowest, ones
from unknot._base.kernels.types_kernel import inlined
from unknot.simulation.engine import choice_kernel
from unknot.simulation.engine.choice_kernel import credits_of_port
from unknot.simulation.engine.selection_kernel import at_random, available_of
from unknot.simulation.engine.state_kernel import reader_of, vcs_of
from unknot.simulation.engine.view_kernel import view


@inlined
def nth(mask, many, number):
    """Return the number of the bit of a mask of `many` bits that has `number` bits before it."""
    if mask == ones(mask, many) << lowest(mask):
        return lowest(mask) + number
    for _ in range(number):
        mask &= mask - 1
    return lowest(mask)


@inlined
def two_of(s, b, many, now):
    """Return the numbers of two candidates that a header draws of `many`."""
    drawn = at_random(s, b, now, np.int64(1) << 53)
    return drawn % many, drawn // many % many


@inlined
def counted(mask, ejection):
    """Return the bits of candidates: all ejection VCs of a destination are a candidate together."""
    return mask & ~ejection | mask & ejection & -(mask & ejection)


@inlined
def keep_better(s, b, w, mine, other):
    """Let a header keep the port with more credits of two output rows; return the row, −1 for ejection."""
    if s.outputs.port[mine] != s.outputs.port[other]:
        mine = other if credits_of_port(s, w, other) > credits_of_port(s, w, mine) else mine
    reader = reader_of(s, mine)
    s.inputs.out[b] = s.buffer[reader] if reader >= 0 else s.setup.num_vcs
    return mine if reader >= 0 else np.int64(-1)


@inlined
def kept_row(s, b):
    """Return an output row of the port that a header keeps, −1 for ejection."""
    kept = s.inputs.out[b]
    return np.int64(s.out_row[kept] if kept < s.setup.num_vcs else -1)


@inlined
def keep_port(s, w, at, row, now):
    """Write the candidates of the port that a header keeps to `requested`, from row `row` of `answers`."""
    b, mask, first = s.words.first_input[w] + at, s.whole.answers.first[row], s.words.first_output[w]
    if s.inputs.out[b] < 0:
        bits = counted(mask, s.whole.borders.ejection[w])
        many = how_many(bits)
        one, two = two_of(s, b, many, now)
        out = keep_better(s, b, w, first + nth(bits, many, one), first + nth(bits, many, two))
    else:
        out = kept_row(s, b)
    if out < 0:
        mask &= s.whole.borders.ejection[w]
    else:
        port = s.outputs.port[out]
        mask &= ones(mask, vcs_of(s, port)) << (port - first)
    s.whole.wants.requested[at * s.setup.width] = mask


@inlined
def recall_port(raw, b, p, w0, w1, begin, now):
    """Collect the candidates of the port that a header keeps, beyond the fast path, as `selection_kernel.recall`."""
    s = view(raw)
    answers, many, first = s.answers.first, np.int64(0), s.words.first_output[w0]
    number = s.cache[s.input_class[b] * s.setup.num_addresses + s.packets.address[p]]
    if number == 0:
        return np.int64(-1)
    row, anything = s.first_answer[w0] + (number - 1) * (w1 - w0), np.int64(0)
    if s.inputs.out[b] < 0:
        bits, ejected = s.vc_masks.requested, np.int64(0)
        for j in range(w1 - w0):
            ejection = s.borders.ejection[w0 + j]
            bits[begin + j] = counted(answers[row + j], ejection) if ejected == 0 else answers[row + j] & ~ejection
            ejected |= answers[row + j] & ejection
            many += how_many(bits[begin + j])
        one, two = two_of(s, b, many, now)
        mine, other = choice_kernel.nth(bits, begin, one), choice_kernel.nth(bits, begin, two)
        out = keep_better(s, b, np.int64(-1), first + mine, first + other)
    else:
        out = kept_row(s, b)
    port = s.outputs.port[max(out, np.int64(0))]
    end = port + vcs_of(s, port)
    for j in range(w1 - w0):
        mask, word = answers[row + j], first + (j << 6)
        if out < 0:
            mask &= s.borders.ejection[w0 + j]
        else:
            low, high = max(port, word) - word, min(end, word + 64) - word
            mask &= ones(mask, high - low) << low if high > low else np.int64(0)
        s.vc_masks.requested[begin + j] = available_of(s, b, mask, w0 + j, p, now)
        anything |= s.vc_masks.requested[begin + j]
    return np.int64(anything != 0)
