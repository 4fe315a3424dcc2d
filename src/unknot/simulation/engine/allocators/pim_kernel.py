# mypy: ignore-errors
"""Parallel iterative matching."""

import numpy as np

from unknot._base.kernels.types_kernel import called, inlined
from unknot._base.splitmix import STEP
from unknot.simulation.engine.matrix_kernel import grant_matched, join, number_requests
from unknot.simulation.engine.rows_kernel import match_in_rounds, match_ports, match_vcs
from unknot.simulation.engine.state_kernel import random_bits
from unknot.simulation.engine.view_kernel import view

OF_SWITCH = 1 << 20
"""Tags of random numbers of switch allocation begin here."""


@inlined
def match(raw, n, w0, w1, of_switch, now):
    """Match the first n requests of the router of words w0 to w1."""
    s = view(raw)
    inputs, outputs = number_requests(s, n, w0, of_switch)
    pim(s, n, inputs, outputs, w0, of_switch != 0, now)
    grant_matched(s, n)


@called
def chance(s, now, row, tag):
    """Return a random number of an end in a round of a cycle."""
    return random_bits(np.uint64(s.setup.salt ^ ((now << 32) + row)) + STEP * np.uint64(tag))


@called
def pim(s, n, inputs, outputs, w0, of_switch, now):
    """Parallel iterative matching (Anderson, Owicki, Saxe & Thacker 1993): cyclic choices from random starts."""
    cells, pairing = s.cells, s.pairing
    first_input, first_output = s.words.first_input[w0], s.words.first_output[w0]
    for number in range(s.setup.switch_iterations if of_switch else s.setup.iterations):
        # Two draws in a round, of outputs and of inputs, and none with the tag 0, by which headers select at random.
        tag = 2 * number + 2 + (OF_SWITCH if of_switch else 0)
        for end in range(max(inputs, outputs)):
            pairing.origin[end], pairing.grant[end] = -1, -1
        for i in range(n):
            into, out = cells.into[i], cells.out[i]
            if pairing.mate[into] >= 0 or pairing.other[out] >= 0:
                continue
            start = chance(s, now, first_output + out, tag) % inputs
            best = pairing.origin[out]
            if best < 0 or (into - start) % inputs < (best - start) % inputs:
                pairing.origin[out] = into
        for o in range(outputs):
            into = pairing.origin[o]
            if into < 0:
                continue
            start = chance(s, now, first_input + into, tag + 1) % outputs
            best = pairing.grant[into]
            if best < 0 or (o - start) % outputs < (best - start) % outputs:
                pairing.grant[into] = o
        for into in range(inputs):
            if pairing.grant[into] >= 0:
                join(s, into, pairing.grant[into])


@inlined
def start_of(s, at, end, of_input, number):
    """Return where an end begins to look in a round."""
    tag = 2 * number + 2 + of_input + (OF_SWITCH if at.of_switch else 0)
    row, many = (at.first_input, at.outputs) if of_input != 0 else (at.first_output, at.inputs)
    return chance(s, at.now, row + end, tag) % many


@inlined
def forget(s, at, into, out, number):
    """Note nothing of a match."""


@inlined
def match_rows(s, at, ends):
    """Match `ends`, see `rows_kernel`."""
    match_in_rounds(s, at, ends, start_of, forget)


@inlined
def sweep_vcs(s, w, now):
    """Match headers of the router of word w to outputs, as `match_vcs` does."""
    match_vcs(s, w, now, match_rows, True)


@inlined
def sweep_switch(s, w, now):
    """Match the ports of input VCs of the router of word w, as `match_ports` does."""
    match_ports(s, w, now, match_rows, True)
