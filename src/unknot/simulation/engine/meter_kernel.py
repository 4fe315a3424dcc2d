# mypy: ignore-errors
"""Counts of headers and flits by the ports that they are allocated, of runs whose energy is computed."""

from unknot._base.kernels.types_kernel import inlined


@inlined
def count_allocated(s, w, p):
    """Count packet p, which is allocated output row w: its flits will follow."""
    row = s.outputs.port[w]
    if s.setup.classes != 0:
        row += s.forms.of[s.courses.form[p]] * s.out_ports.size
    s.allocated.packets[row] += 1
    s.allocated.flits[row] += s.packets.length[p]


@inlined
def count_header(s, w, p):
    """Count packet p, which is allocated output row w by a router; without classes `carried` has its flits."""
    if s.setup.classes == 0:
        s.allocated.packets[s.outputs.port[w]] += 1
    else:
        count_allocated(s, w, p)
