"""Parallel iterative matching (Anderson, Owicki, Saxe & Thacker 1993): iSLIP with choices from random starts."""

from unknot.simulation.engine.allocators.registry import PIM, Registered, register

register(Registered("pim", PIM, rounds=True, kernel="pim_kernel"))
