"""iSLIP with priorities."""

from unknot.simulation.engine.allocators.registry import SELECT, Registered, register

register(Registered("select", SELECT, rounds=True, honours=True, arbiters=True))
