# mypy: ignore-errors
"""Routing cache: what a rule says for every input VC and address of packed routers, asked once.

The answer depends on nothing else, and for most rules on no more of an input VC than its router. Input VCs of a
router with the same answers are one class. A class has a byte for every address: the number of one of the answers of
its router. An answer is two masks: outputs to request, and outputs to request if none of those is free. Byte 0 stands
for what is not cached, because it is more than that or because the rule fails.
"""

import numpy as np
from numba import njit, types

from unknot.routing.relation import NO_WAIT
from unknot.simulation.engine.pack_kernel import is_simple
from unknot.simulation.engine.planes_kernel import ones
from unknot.simulation.engine.state_kernel import outputs_of
from unknot.simulation.engine.view_kernel import view
from unknot.types_kernel import RULE
from unknot.words_kernel import natural

MOST = 127
"""Most decisions of a router that are kept."""


@njit(_nrt=False, forceinline=True)
def wishes(rule, s, w, place, address):
    """Masks of the outputs of the first and second tier that a header requests; both 0 if that is not all."""
    offered, first_output = s.candidates, np.int64(s.words.first_output[w])
    end = np.int64(s.words.first_output[w + 1])
    count = rule(np.int64(place), np.int64(address), np.int64(offered.ctypes.data))
    first, second, low, high = np.int64(0), np.int64(0), np.int64(-1), np.int64(-1)
    if count > offered.size:
        return np.int64(0), np.int64(0)
    for k in range(count):
        value = offered[natural(k)]
        out, many = outputs_of(s, address, value)
        if out < first_output or out + many > end or value & NO_WAIT != 0:
            return np.int64(0), np.int64(0)
        tier, mask = (value >> 40) & 0xFF, ones(many) << (out - first_output)
        if low < 0 or tier == low:
            low, first = tier, first | mask
        elif high >= 0 and tier != high:
            return np.int64(0), np.int64(0)
        else:
            high, second = tier, second | mask
    return (first, second) if high < 0 or low < high else (second, first)


@njit(_nrt=False, forceinline=True)
def number_of(s, w, end, first, second):
    """The number of a decision, which is added to those of word w, that end at `end`, if it is new."""
    begin = np.int64(s.first_answer[w])
    if first == 0:
        return np.int64(0), end
    for k in range(begin, end):
        if s.answers.first[natural(k)] == first and s.answers.second[natural(k)] == second:
            return k - begin + 1, end
    if end - begin == MOST:
        return np.int64(0), end
    s.answers.first[natural(end)], s.answers.second[natural(end)] = first, second
    return end - begin + 1, end + 1


@njit(_nrt=False, forceinline=True)
def class_of(s, begin, end):
    """The first of these classes that says the same as the one at `end`, or that one."""
    many = s.destination.shape[0]
    for k in range(begin, end):
        same = True
        for address in range(many):
            same &= s.cache[natural(k * many + address)] == s.cache[natural(end * many + address)]
        if same:
            return k
    return end


@njit(types.int64(RULE, types.int64[::1]), cache=True, nogil=True, _nrt=False)
def decide(rule, raw):
    """Fill `cache`, `answers`, `first_answer` and `input_class`; the number of classes."""
    s = view(raw)
    classes, decisions, many = np.int64(0), np.int64(0), s.destination.shape[0]
    for r in range(s.first_word.shape[0] - 1):
        begin = classes
        for word in range(s.first_word[natural(r)], s.first_word[natural(r + 1)]):
            s.first_answer[natural(word)] = decisions
        if is_simple(s, natural(r)):
            w = natural(s.first_word[natural(r)])
            for b in range(s.words.first_input[w], s.words.first_input[w + 1]):
                place = s.inputs.at[natural(b)]
                if b > s.words.first_input[w] and s.inputs.at[natural(b - 1)] == place:
                    s.input_class[natural(b)] = s.input_class[natural(b - 1)]
                    continue
                for address in range(many):
                    first, second = wishes(rule, s, w, place, address)
                    kept, decisions = number_of(s, w, decisions, first, second)
                    s.cache[natural(classes * many + address)] = kept
                s.input_class[natural(b)] = class_of(s, begin, classes)
                classes += s.input_class[natural(b)] == classes
    s.first_answer[natural(s.first_answer.shape[0] - 1)] = decisions
    return classes
