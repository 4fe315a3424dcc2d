"""Wavefront (Tamir & Chi 1993): the diagonals of the matrix of requests, from the next one in each cycle."""

from unknot.simulation.engine.allocators.registry import WAVEFRONT, Registered, register

register(Registered("wavefront", WAVEFRONT, honours=True, sweeps=True, kernel="wavefront_kernel"))
