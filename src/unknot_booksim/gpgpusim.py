"""Network files of GPGPU-Sim (`.icnt`): configurations of BookSim with keys and values of GPGPU-Sim's own.

All packets of these are reads and writes of programs that GPGPU-Sim runs. No program is here, and the file does not
say which nodes are memories, so reads and writes are uniform. Lengths are those of a whole line of a cache: GPGPU-Sim
packs 8 bytes of control, and in write requests and read replies the data, into flits of `flit_size` bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    ("sim_type", "fes2"): "latency",
    ("traffic", "gpgpusim"): "uniform",
    ("injection_process", "gpgpu_injector"): "bernoulli",
}
"""Values that BookSim does not have, each with the value in its place."""
CONTROL, LINE = 8, 128
"""Bytes of control in each packet, and of data in those with a line of a cache."""
WITH_DATA = {"read_request": False, "write_request": True, "read_reply": True, "write_reply": False}
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
    kept = {one.key.text: one for one in assignments if one.key.text not in OWN_KEYS}
    simulated = kept.get("sim_type")
    reads = simulated is not None and simulated.value.text == "gpgpusim" and "use_read_write" not in kept
    own = [key for key in own if not (reads and key.text == "flit_size")]
    if own:
        names = ", ".join(dict.fromkeys(key.text for key in own))
        warnings.append(f"{own[0].where}: of GPGPU-Sim, and without effect here: {names}")
    for key, one in kept.items():
        value = (OWN_VALUES | NO_DELAY).get((key, one.value.text))
        if value is not None:
            kept[key] = replace(one, value=replace(one.value, text=value))
            place = f"{one.key.where}:{one.key.line}"
            program = "rtl2booksim, a fork" if one.value.text == "fes2" else "GPGPU-Sim"
            warnings.append(f"{place}: {key}: {one.value.text} is of {program}; {value} is taken instead")
    if simulated is not None and reads:
        made = replace(simulated.key, text="use_read_write"), replace(simulated.value, text="1")
        kept["use_read_write"] = Assignment(*made)
        added, words = _messages({one.key.text: one for one in assignments}, kept)
        kept |= added
        warnings += words
    return [*kept.values()], warnings


def _messages(
    given: Mapping[str, Assignment], kept: Mapping[str, Assignment]
) -> tuple[dict[str, Assignment], list[str]]:
    """Return missing sizes and subnets of reads and writes, and warnings about them."""
    added: dict[str, Assignment] = {}
    words: list[str] = []
    flit = given.get("flit_size")
    if flit is not None:
        if not (flit.value.text.isdecimal() and 0 < int(flit.value.text) < 10**6):
            raise flit.value.error(f"flit_size: bytes of a flit are needed, not {flit.value.text[:40]}")
        sizes = {kind: -(-(CONTROL + LINE * data) // int(flit.value.text)) for kind, data in WITH_DATA.items()}
        missing = {f"{kind}_size": flits for kind, flits in sizes.items() if f"{kind}_size" not in kept}
        added |= {key: _like(flit, key, flits) for key, flits in missing.items()}
        told = ", ".join(f"{key}={flits}" for key, flits in missing.items())
        if told:
            place = f"{flit.key.where}:{flit.key.line}"
            words.append(
                f"{place}: flit_size: {told}, flits of {LINE} bytes of data and {CONTROL} of control; every node "
                "reads from and writes to all"
            )
    subnets = kept.get("subnets")
    if subnets is not None and subnets.value.text == "2":
        # Of two networks GPGPU-Sim sends replies through the second, whatever the keys of subnets say.
        replies = [f"{way}_reply_subnet" for way in ("read", "write")]
        added |= {key: _like(subnets, key, 1) for key in replies if key not in kept}
    return added, words


def _like(one: Assignment, key: str, number: int) -> Assignment:
    """An assignment of a number at the place of another one."""
    return Assignment(replace(one.key, text=key), replace(one.value, text=str(number)))
