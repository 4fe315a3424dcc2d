"""Network files of GPGPU-Sim (`.icnt`): configurations of BookSim with keys and values of GPGPU-Sim's own.

All packets of these are reads and writes of programs that GPGPU-Sim runs. No program is here, so reads and writes
are uniform, as long as BookSim's keys say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from unknot_booksim.parse import Assignment

OWN_KEYS = {
    "use_map", "flit_size", "network_count", "input_buffer_size", "ejection_buffer_size", "boundary_buffer_size",
    "perfect_icnt", "fixed_lat_per_hop", "output_extra_latency", "enable_link_stats", "MATLAB_OUTPUT",
    "DISPLAY_LAT_DIST", "DISPLAY_HOP_DIST", "DISPLAY_PAIR_LATENCY",
}  # fmt: skip
"""Keys that BookSim does not have: buffers between GPU and network, places of units there, and what is printed."""
OWN_VALUES = {
    ("sim_type", "gpgpusim"): "latency",
    ("traffic", "gpgpusim"): "uniform",
    ("injection_process", "gpgpu_injector"): "bernoulli",
}
"""Values that BookSim does not have, each with the value in its place."""
NO_DELAY = {("vc_alloc_delay", "0"): "1"}
"""In these files alone an allocation may take no cycle."""


def as_booksim(assignments: Sequence[Assignment]) -> tuple[list[Assignment], list[str]]:
    """Translate assignments of GPGPU-Sim into BookSim's; return them, and warnings. Other files stay unchanged.

    Of several assignments to a key the last holds, as on the command line, and nothing is said of the others.
    """
    own = [one.key for one in assignments if one.key.text in OWN_KEYS]
    if not own and not any((one.key.text, one.value.text) in OWN_VALUES for one in assignments):
        return list(assignments), []
    warnings = []
    if own:
        names = ", ".join(dict.fromkeys(key.text for key in own))
        warnings.append(f"{own[0].where}: of GPGPU-Sim, and without effect here: {names}")
    kept = {one.key.text: one for one in assignments if one.key.text not in OWN_KEYS}
    simulated = kept.get("sim_type")
    for key, one in kept.items():
        value = (OWN_VALUES | NO_DELAY).get((key, one.value.text))
        if value is not None:
            kept[key] = replace(one, value=replace(one.value, text=value))
            place = f"{one.key.where}:{one.key.line}"
            warnings.append(f"{place}: {key}: {one.value.text} is of GPGPU-Sim; {value} is taken instead")
    if simulated is not None and simulated.value.text == "gpgpusim" and "use_read_write" not in kept:
        made = replace(simulated.key, text="use_read_write"), replace(simulated.value, text="1")
        kept["use_read_write"] = Assignment(*made)
    return [*kept.values()], warnings
