"""Configurations of GPGPU-Sim's network (`.icnt` files): BookSim's, with keys and values of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from unknot.studies.booksim.parse import Assignment

KEYS = {
    "use_map", "flit_size", "network_count", "input_buffer_size", "ejection_buffer_size", "boundary_buffer_size",
    "perfect_icnt", "fixed_lat_per_hop", "output_extra_latency", "enable_link_stats", "MATLAB_OUTPUT",
    "DISPLAY_LAT_DIST", "DISPLAY_HOP_DIST", "DISPLAY_PAIR_LATENCY",
}  # fmt: skip
"""Keys that BookSim does not have: buffers between GPU and network, how it is placed there, and what is printed."""
_VALUES = {
    ("sim_type", "gpgpusim"): "latency",
    ("traffic", "gpgpusim"): "uniform",
    ("injection_process", "gpgpu_injector"): "bernoulli",
    ("vc_alloc_delay", "0"): "1",
}


def as_booksim(assignments: Sequence[Assignment]) -> tuple[list[Assignment], list[str]]:
    """The assignments as BookSim would have them, and warnings; those of other files are left as they are.

    With ``sim_type = gpgpusim`` all packets are reads and writes. What they are is up to the programs that GPGPU-Sim
    runs; here it is up to BookSim's keys.
    """
    own = [a for a in assignments if a.key in KEYS]
    foreign = [a for a in assignments if (a.key, a.value) in _VALUES and a.key != "vc_alloc_delay"]
    if not own and not foreign:
        return list(assignments), []
    warnings = []
    if own:
        names = ", ".join(dict.fromkeys(a.key for a in own))
        warnings.append(f"{own[0].where}: of GPGPU-Sim, and without effect here: {names}")
    kept = [a for a in assignments if a.key not in KEYS]
    for k, assignment in enumerate(kept):
        value = _VALUES.get((assignment.key, assignment.value))
        if value is not None:
            kept[k] = replace(assignment, value=value)
            warnings.append(
                f"{assignment.where}:{assignment.line}: {assignment.key}: {assignment.value} is of GPGPU-Sim; "
                f"{value} is taken instead"
            )
    always = next((a for a in foreign if a.key == "sim_type"), None)
    if always is not None and all(a.key != "use_read_write" for a in kept):
        kept.append(replace(always, key="use_read_write", value="1"))
    return kept, warnings
