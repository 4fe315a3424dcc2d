"""Lonely outputs: every input requests the output that the fewest request, every output grants one."""

from unknot.simulation.engine.allocators.registry import LOA, Registered, register

register(Registered("loa", LOA, kernel="loa_kernel"))
