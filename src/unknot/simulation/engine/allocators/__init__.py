"""Allocators of virtual channels and of the switch, a file each, where it registers itself."""

from unknot.simulation.engine.allocators import (  # noqa: F401 they register themselves
    islip,
    loa,
    max_size,
    pim,
    rr_wavefront,
    select,
    separable_input_first,
    wavefront,
)
