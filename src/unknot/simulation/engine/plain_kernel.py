# mypy: ignore-errors
"""The kernel of runs in which every router takes the fast path; it compiles in a part of the time."""

from unknot._base.kernels.types_kernel import inlined
from unknot.simulation.engine.cycles_kernel import cycles
from unknot.simulation.engine.state import DONE


@inlined
def no_inbox(s, w0, w1, now):
    """Stand in for `router_kernel.open_inbox`."""
    return False


@inlined
def no_work(rule, raw, w0, w1, now, left):
    """Stand in for `router_kernel.work`."""
    return DONE


@inlined
def no_classes(raw, r, now):
    """Stand in for `class_kernel.inject_classes`."""


@inlined
def advance(rule, raw, until):
    """Simulate from ``count.now`` up to, not including, cycle `until`; the status says if it stopped before."""
    return cycles(rule, raw, until, no_inbox, no_work, no_classes)
