"""Edge lists as a format of files; `unknot.network.edges` reads and writes them."""

from __future__ import annotations

import re

from unknot.fabrics.format import Format
from unknot.network.edges import read_edge_list, write_edge_list

_SIGN = re.compile(
    r"\A(?>\s+|#[^\n]*)*+"
    r"[^\s#]++[ \t]+(?:->|--|@)[ \t]+[^\s#]++[ \t]*(?:[0-9]+(?:[ \t]+[0-9./]+)?[ \t]*)?(?:#[^\n]*)?(?:\r?\n|\Z)"
)
"""Sign of an edge list: an arrow in the first line that is no comment; rows without one fit many formats."""

FORMAT = Format(
    "edges", "an edge list", (".edges", ".txt"), read_edge_list, write_edge_list, _SIGN.search,
    frozenset({"latencies", "bandwidths", "terminals", "router names", "terminal names"}),
)  # fmt: skip
