"""Configurations that are compared event by event, drawn by number.

`plain` has default routers; `keys` draws keys of routers; `wider` also classes, reads and writes, subnets and
buffers; `each` has in turn one value of every key that is built and changes what a router does, or a network, beside
what `wider` draws.
"""

from __future__ import annotations

import random

from benchmarks.booksim_random import ALLOCATORS, Keys, configuration, networks

LOADS = (0.1, 0.3, 0.99)
"""Flits offered per terminal and cycle."""


def plain(draw: random.Random) -> Keys:
    """Keys of a random network, with default values of routers."""
    keys = networks(draw) | {"num_vcs": draw.choice((2, 4, 8)), "packet_size": draw.choice((1, 1, 2, 5, "{1,5}"))}
    if keys["routing_function"] in ("min_adapt", "planar_adapt", "ugal"):
        keys["num_vcs"] = draw.choice((4, 8))
    return keys


def wider(draw: random.Random) -> Keys:
    """Keys of a random configuration with classes, reads and writes, subnets and buffers of other kinds as well."""
    keys = configuration(draw)
    in_packets = keys["topology"] != "dragonflynew"
    if draw.random() < 0.3:
        keys["output_buffer_size"] = draw.choice((1, 2, 4, 8))
    if draw.random() < 0.2 and in_packets:
        keys |= {"buffer_policy": draw.choice(("shared", "limited")), "private_buf_size": draw.choice((1, 2))}
        keys |= {"max_held_slots": draw.choice((4, 8))} if keys["buffer_policy"] == "limited" else {}
    if draw.random() < 0.3 and in_packets:
        keys["subnets"] = 2
    if draw.random() < 0.15:
        keys |= {"priority": "age", "vc_priority_donation": 1}
    kind = draw.random()
    if kind < 0.25:
        keys |= {"classes": draw.choice((2, 3)), "class_priority": "{0,1,2}", "packet_size": "{2,1,5}"}
        keys["priority"] = draw.choice(("class", "class", "none", "age"))
    elif kind < 0.6 and in_packets:
        # Halves of an even number of VCs, where the routing function wants them.
        keys |= {"use_read_write": 1, "write_fraction": draw.choice((0.5, 0.2)), "num_vcs": 8}
        for name, low in (("request", 0), ("reply", 4)):
            keys |= {f"{way}_{name}_begin_vc": low for way in ("read", "write")}
            keys |= {f"{way}_{name}_end_vc": low + 3 for way in ("read", "write")}
        keys |= {"read_reply_size": draw.choice((1, 5)), "write_request_size": draw.choice((1, 5))}
        if keys.get("subnets") == 2:
            keys |= {"read_reply_subnet": 1, "write_reply_subnet": draw.choice((0, 1))}
        keys.pop("packet_size", None)
    return keys


FORCED: tuple[Keys, ...] = (
    {"topology": "qtree", "k": 4, "n": 3, "routing_function": "nca", "use_noc_latency": 1},
    {"topology": "tree4", "k": 4, "n": 3, "routing_function": "nca"},
    {"topology": "tree4", "k": 4, "n": 3, "routing_function": "anca"},
    {"topology": "fly", "k": 3, "n": 3, "routing_function": "dest_tag"},
    {"topology": "fattree", "k": 2, "n": 4, "routing_function": "anca"},
    {"topology": "mesh", "k": 3, "n": 3, "routing_function": "dor"},
    {"topology": "torus", "k": 5, "n": 2, "routing_function": "dim_order", "num_vcs": 8},
    {"topology": "mesh", "k": 4, "n": 2, "routing_function": "valiant", "num_vcs": 8},
    {"topology": "torus", "k": 4, "n": 2, "routing_function": "min_adapt", "num_vcs": 8},
    {"topology": "cmesh", "k": 4, "n": 2, "c": 4, "x": 4, "y": 4, "xr": 2, "yr": 2, "routing_function": "dor"},
    {"topology": "flatfly", "k": 4, "n": 2, "c": 4, "x": 4, "y": 4, "xr": 2, "yr": 2, "routing_function": "valiant"},
    {"use_noc_latency": 0},
    {"buf_size": 32},
    {"buffer_policy": "shared", "private_buf_size": 2},
    {"buffer_policy": "limited", "private_buf_size": 1, "max_held_slots": 8},
    {"wait_for_tail_credit": 1},
    {"routing_delay": 0},
    {"routing_delay": 2},
    {"st_prepare_delay": 1},
    {"st_prepare_delay": 1, "st_final_delay": 2, "output_buffer_size": 2},
    {"credit_delay": 3},
    {"input_speedup": 2},
    {"output_speedup": 2, "routing_delay": 1},
    {"internal_speedup": 1.5, "routing_delay": 1},
    {"internal_speedup": 2.0, "routing_delay": 0, "output_buffer_size": 2},
    {"speculative": 1},
    {"hold_switch_for_packet": 1},
    {"vc_busy_when_full": 1},
    {"vc_prioritize_empty": 1, "vc_allocator": "separable_input_first"},
    {"priority": "age", "vc_priority_donation": 1, "vc_allocator": "separable_input_first"},
    *({"vc_allocator": name, "sw_allocator": name} for name in ALLOCATORS),
)
"""What configurations of `each` have in turn; a topology replaces all keys of the drawn one."""


def forced(draw: random.Random, number: int) -> Keys:
    """Keys as of `wider`, and the entry of `FORCED` whose turn it is."""
    keys, more = wider(draw), FORCED[number % len(FORCED)]
    if "topology" in more:
        of_network = (
            "topology", "routing_function", "k", "n", "c", "x", "y", "xr", "yr", "traffic", "use_noc_latency",
        )  # fmt: skip
        keys = {key: value for key, value in keys.items() if key not in of_network}
        keys |= {"traffic": "uniform"} | ({"vc_buf_size": 8} if keys["vc_buf_size"] == 256 else {})
        more = more | ({"num_vcs": 8} if keys.get("use_read_write") else {})
    return keys | more


def keys_of(which: str, number: int) -> Keys:
    """The keys of a configuration by its number."""
    draw = random.Random(number)
    drawn = {"plain": plain, "keys": configuration, "wider": wider}
    keys = drawn[which](draw) if which in drawn else forced(draw, number)
    return keys | {"injection_rate": draw.choice(LOADS), "injection_rate_uses_flits": 1}
