# mypy: ignore-errors
"""iSLIP (McKeown 1999) in several rounds, as rows of bits."""

from unknot._base.kernels.types_kernel import inlined
from unknot.simulation.engine.rows_kernel import match_in_rounds, match_ports, match_vcs


@inlined
def start_of(s, at, end, of_input, number):
    """Return the pointer of an end."""
    if of_input != 0:
        return at.input_pointer[at.first_input + end]
    return at.output_pointer[at.first_output + end]


@inlined
def pass_by(s, at, into, out, number):
    """Move the pointers of both ends past a match of the first round."""
    if number == 0:
        at.input_pointer[at.first_input + into], at.output_pointer[at.first_output + out] = out + 1, into + 1


@inlined
def match_rows(s, at, ends):
    """Match `ends`, see `rows_kernel`."""
    match_in_rounds(s, at, ends, start_of, pass_by)


@inlined
def sweep_vcs(s, w, now):
    """Match headers of the router of word w to outputs, as `match_vcs` does."""
    match_vcs(s, w, now, match_rows, False)


@inlined
def sweep_switch(s, w, now):
    """Match the ports of input VCs of the router of word w, as `match_ports` does."""
    match_ports(s, w, now, match_rows, False)
