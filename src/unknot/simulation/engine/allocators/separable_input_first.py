"""Separable input-first: every input puts forward one of its requests, every output grants one of those."""

from unknot.simulation.engine.allocators.registry import INPUTS_FIRST, Registered, register

register(Registered("separable_input_first", INPUTS_FIRST, honours=True, arbiters=True))
