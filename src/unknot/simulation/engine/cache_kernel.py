# mypy: ignore-errors
"""Routing cache: the answers of a rule for every input VC and address.

The answer depends on nothing else, and for most rules on no more of an input VC than its router. Input VCs of a
router with the same answers are one class. A class has a byte for every address: the number of one of the answers of
its router. An answer is two masks, each with as many words as the router has: outputs to request, and outputs to
request if none of those is free. Byte 0 stands for what is not cached: more than that, or a rule that fails. Headers
that draw candidates by their number have answers of one tier cached, whose candidates are bits in their order.
"""

import numpy as np

from unknot._base.kernels.types_kernel import inlined
from unknot._base.kernels.words_kernel import call_rule
from unknot.routing.contract import NO_WAIT
from unknot.simulation.engine.candidate_kernel import ends_of, tier_of
from unknot.simulation.engine.codes import BETTER_OF_TWO, MOST_ANSWERS
from unknot.simulation.engine.view_kernel import place_of, view


@inlined
def answer(rule, s, w0, w1, b, address, row):
    """Write a header's requests to the rows of `answers` from `row` on; return whether they are complete."""
    candidates, first_output = s.candidates, s.words.first_output[w0]
    end = s.words.first_output[w1]
    count = call_rule(rule, s.inputs.at[b], np.int64(address), place_of(candidates))
    low, high, before, drawn = np.int64(256), np.int64(-1), np.int64(-1), s.setup.selection == BETTER_OF_TWO
    if count <= 0 or count > candidates.size:
        return False
    for k in range(count):
        tier = tier_of(candidates[k])
        low, high = min(low, tier), max(high, tier)
    for j in range(w1 - w0):
        s.answers.first[row + j] = s.answers.second[row + j] = 0
    for k in range(count):
        candidate = candidates[k]
        out, many = ends_of(s, b, address, candidate)
        tier = tier_of(candidate)
        if out < first_output or out + many > end or candidate & NO_WAIT != 0 or low < tier < high:
            return False
        if drawn and (low < high or out <= before or (many > 1 and count > 1)):
            return False
        before = out
        for cell in range(out - first_output, out - first_output + many):
            j = row + (cell >> 6)
            if tier == low:
                s.answers.first[j] |= np.int64(1) << (cell & 63)
            else:
                s.answers.second[j] |= np.int64(1) << (cell & 63)
    return True


@inlined
def number_of(s, begin, end, words):
    """Return the number of the answer in row `end` among the rows from `begin` on; 0 if the rows are too many."""
    for k in range(begin, end, words):
        same = True
        for j in range(words):
            one, other = k + j, end + j
            same &= (
                s.answers.first[one] == s.answers.first[other] and s.answers.second[one] == s.answers.second[other]
            )
        if same:
            return (k - begin) // words + 1
    return np.int64(0) if end - begin == MOST_ANSWERS * words else (end - begin) // words + 1


@inlined
def class_of(s, begin, end):
    """Return the first class with the same answers as the class at `end`, or `end` itself."""
    many = s.setup.num_addresses
    for k in range(begin, end):
        same = True
        for address in range(many):
            same &= s.cache[k * many + address] == s.cache[end * many + address]
        if same:
            return k
    return end


@inlined
def fill_cache(rule, raw):
    """Fill `cache`, `answers`, `first_answer` and `input_class`; return the number of classes."""
    s = view(raw)
    classes, end, many = np.int64(0), np.int64(0), s.setup.num_addresses
    for r in range(s.first_word.size - 1):
        w0, w1 = s.first_word[r], s.first_word[r + 1]
        first_class, begin, words = classes, end, np.int64(w1 - w0)
        for word in range(w0, w1):
            s.first_answer[word] = begin
        for b in range(s.words.first_input[w0], s.words.first_input[w1]):
            at = s.inputs.at[b]
            # All VCs of an injection port ask the rule the same; with one option they leave by VCs of their own.
            if b > s.words.first_input[w0] and s.inputs.at[b - 1] == at and s.setup.ejection != 1:
                s.input_class[b] = s.input_class[b - 1]
                continue
            for address in range(many):
                kept = np.int64(0)
                if answer(rule, s, w0, w1, b, address, end):
                    # An answer that is new stays in the rows at the end, else they are written anew.
                    kept = number_of(s, begin, end, words)
                    end = max(end, begin + kept * words)
                s.cache[classes * many + address] = kept
            s.input_class[b] = class_of(s, first_class, classes)
            classes += s.input_class[b] == classes
    s.first_answer[s.first_answer.size - 1] = end
    return classes
