"""Wavefront from the diagonal after that of the first match."""

from unknot.simulation.engine.allocators.registry import RR_WAVEFRONT, Registered, register

register(Registered("rr_wavefront", RR_WAVEFRONT, honours=True, sweeps=True, kernel="wavefront_kernel"))
