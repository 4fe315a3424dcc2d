"""Tables that are scratch within a cycle of a router: but for `best`, no later cycle looks at them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import int32, int64


def rows(size: int = 0, /, **columns: Any) -> np.dtype[Any]:
    """Return the type of a table's rows with these columns, packed in order.

    A row has `size` bytes, or as few as hold its columns if that is more, a multiple of the widest of them.
    """
    formats = [np.dtype(kind) for kind in columns.values()]
    starts = np.cumsum([0, *(kind.itemsize for kind in formats)]).tolist()
    widest = max(kind.itemsize for kind in formats)
    size = max(size, starts[-1] + -starts[-1] % widest)
    layout = {"names": list(columns), "formats": formats, "offsets": starts[:-1], "itemsize": size}
    return np.dtype(layout, align=True)  # type: ignore[call-overload,no-any-return]


SCRATCH: dict[str, np.dtype[Any]] = {
    "candidates": np.dtype(int64),  # what a rule writes
    # Masks of outputs, those of one header after the other: requested, and of these still free, or granted.
    "vc_masks": rows(requested=int64, granted=int64),
    "lesser": np.dtype(int64),  # the same of candidates beyond the first tier, where all are requested
    "headers": np.dtype(int32),  # rows of `inputs` whose headers they are
    "winners": np.dtype(int32),  # rows of `inputs` that won the switch
    "claims": rows(
        inputs=int64,  # that are requested for
        shared_inputs=int64,  # more than once
        outputs=int64,  # that are requested
        shared_outputs=int64,  # more than once
    ),
    "requests": rows(
        input=int64,  # of the router, from 0: an input VC, or the first bit of an input port
        output=int64,
        age=int64,  # the smaller the better, before round robin
        won=int64,  # the round in which it was matched
        vc=int64,  # the row of `inputs` that an input port puts forward
        rank=int64,  # how far that is from its turn
        before=int64,  # the request before for the same output port, or −1
    ),
    "latest": np.dtype(int32),  # of the first bit of an output port the last request for the port
    # Of allocators that look at all requests, see `matrix_kernel`; empty without.
    "cells": rows(key=int64, request=int64, into=int64, out=int64),  # of each request
    "pairing": rows(
        mate=int64,  # of an input the output that it is matched to, or −1
        other=int64,  # of an output the input
        origin=int64,  # of an output the input that it chose, or was reached from
        grant=int64,  # of an input the output that it chose
        count=int64,  # of an output its requests
        start=int64,  # of an input its first request
        queue=int64,  # inputs that paths go on from
    ),
    "ordinals": rows(
        into=int32,  # of the bit of an input port, or part of one, its number in the router
        out=int32,  # of an output port
        vc=int32,  # of an input VC
        inputs=int32,  # of the first bit of a router: its input VCs, and so on
        outputs=int32,
        entries=int32,
        exits=int32,
        out_vc=int32,  # of an output VC, where ports that lead nowhere have numbers too
        cell=int32,  # of such a number its output VC
        absent=int32,  # of the first bit of a router: VCs of its ports that lead nowhere
    ),
    "best": rows(match=int64, request=int64),  # request of each input in a match; then of each output
    # One row for each word of each input VC, or input port:
    "wants": rows(
        requested=int64,  # outputs its header requests; of an input port output ports
        speculated=int64,  # outputs with a credit for which its header speculates
        row=int64,  # outputs that an input requests, both by their numbers in a match
        digit=int64,  # a binary digit of how many inputs request each output
    ),
    # Of each word of the router at work what kernels are told that are called by their address, and answer:
    "asked": rows(
        ends=int64,  # input VCs that request
        ahead=int64,  # headers that speculate
        won=int64,  # input VCs that win the switch
    ),
    "contest": rows(
        packet=int64,  # of an input VC
        number=int64,  # of an input VC, or a port, in the matrix of requests
        # Of a port that chooses first, and of one that chooses second:
        bidder=int64,  # the input VC that bids best
        other=int64,  # the other port of that
        key=int64,  # how good that is, and
        rank=int64,  # among the VCs of that pair
        offer=int64,  # the port whose bid it accepts
        offer_key=int64,  # how good that is
    ),
}
