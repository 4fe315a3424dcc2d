# mypy: ignore-errors
"""The kernel of the flit-level simulation, with every option."""

from unknot._base.kernels.types_kernel import inlined
from unknot.simulation.engine.class_kernel import inject_classes
from unknot.simulation.engine.cycles_kernel import cycles
from unknot.simulation.engine.router_kernel import open_inbox, work


@inlined
def advance(rule, raw, until):
    """Simulate from ``count.now`` up to, not including, cycle `until`; the status says if it stopped before."""
    return cycles(rule, raw, until, open_inbox, work, inject_classes)
