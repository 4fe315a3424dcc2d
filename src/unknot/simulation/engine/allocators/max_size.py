"""As many matches as there can be."""

from unknot.simulation.engine.allocators.registry import MAX_SIZE, Registered, register

register(Registered("max_size", MAX_SIZE, kernel="max_size_kernel"))
