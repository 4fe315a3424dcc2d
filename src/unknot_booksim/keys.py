"""Keys of BookSim 2 (commit 28f43299) and of forks."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from importlib.resources import files
from typing import Literal, NamedTuple, cast

Kind = Literal["int", "float", "str", "ints", "floats", "strs"]


class BookSimKey(NamedTuple):
    """Type and default of a key, and its counterpart.

    Attributes
    ----------
    kind : str
        Of its value; the plurals also take a list in braces, one value for each traffic class.
    default : str
        As it would be written in a file.
    words : str
        The counterpart here, or why there is none.
    """

    kind: Kind
    default: str
    words: str


KEYS_PAGE = files("unknot_booksim").joinpath("keys.md").read_text(encoding="utf-8")
"""The page of the docs that has all keys: a row of a table for each."""
KEYS: dict[str, BookSimKey] = {}
IDLE_OF_FORKS: set[str] = set()
"""Keys of forks that change nothing here."""
_of_forks = False
for _row in KEYS_PAGE.splitlines():
    _of_forks |= _row.startswith("## Keys of forks")
    if _row.startswith("| `"):
        _key, _kind, _default, _here, _words = _row.strip("| ").split(" | ")
        KEYS[_key.strip("`")] = BookSimKey(cast(Kind, _kind), _default.strip(" `"), _words)
        IDLE_OF_FORKS |= {_key.strip("`")} if _of_forks and _here == "inert" else set()
OLD_NAMES = {"const_flits_per_packet": "packet_size"}
"""Keys of BookSim 1, and what they are now."""

FORK_KEYS = {
    "smart_type", "smart_max_hops", "smart_dimensions", "smart_priority", "bypass_empty_vc", "disable_bypass",
    "injection_queue_size", "injection_queues", "ejection_queue_size", "workload", "synfull", "anynet_cols",
    "dim_sizes", "dim_bandwidth", "dim_latency", "dim_penalty", "elevator_mapping_coords", "vertical_topology",
    "traffic_file", "mapping_file", "traffic_matrix_file", "trace_file", "clock_period", "disable_some_routers",
    "num_l", "layer", "mesh_x", "mesh_y", "collective_type",
    "inject_latency", "eject_latency", "sw_alloc_arb_type", "vc_alloc_arb_type", "hotspot_percent",
    "bufferless", "chan_latency", "class_source", "flit_width", "gpmode", "latency_per_flit", "load_routing_file",
    "node_map", "reconfig", "routing_table_file", "sim_mode", "traffic_schedule",
}  # fmt: skip
"""Keys that are met in files for forks of BookSim and are not built."""


def unknown(key: str, foreign: Iterable[str]) -> str:
    """Return the error about a key of no BookSim 2, beside the other foreign keys of a file."""
    close = get_close_matches(key, KEYS, 1, 0.8)
    if close and key not in FORK_KEYS:
        return f"BookSim 2 has no key {key!r}; did you mean {close[0]}?"
    names = [key, *(other for other in foreign if other != key)]
    listed = f"{', '.join(names[:-1])} and {names[-1]} are keys" if names[1:] else f"{key} is a key"
    lines = "these lines" if names[1:] else "this line"
    return f"{listed} of a fork of BookSim, which is not built; without {lines} BookSim 2 is simulated"
