"""State tables that several files of tests look at."""

from __future__ import annotations

from unknot.verify.controllers import read_table

BLOCKING = read_table(
    """
    [cache]
    many = true
    core = ["load"]
    start = "I"
    I = { load = "send Get to home; become W" }
    W = { Data = "send Done to home; become I", load = "stall" }
    [home]
    start = "I"
    I = { Get = "send Data to requestor; become B" }
    B = { Get = "stall", Done = "become I" }
    """,
    "blocking",
)
"""A home that stalls requests until the cache that it serves is done."""
