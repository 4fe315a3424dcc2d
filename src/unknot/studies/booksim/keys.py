"""The 131 keys of BookSim 2 (commit 28f43299): their types, defaults and counterparts here.

24 further keys belong to the technology file of its power model, which is another file: `POWER_KEYS`.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Kind = Literal["int", "float", "str", "ints", "floats", "strs"]
Fate = Literal["built", "partly", "refused", "inert"]


class Key(NamedTuple):
    """Type, default and support of a key.

    Attributes
    ----------
    kind : str
        Of its value; the plurals also take a list in braces, one value for each traffic class.
    default : str
        As it would be written in a file.
    fate : str
        ``built``: every value is understood; ``partly``: some values are refused; ``refused``: any value but the
        default (and those that mean the same) is; ``inert``: no value can change the result.
    words : str
        The counterpart here, or why there is none.
    """

    kind: Kind
    default: str
    fate: Fate
    words: str


_OUT = "names a file to write; not written"
_WATCH = "single packets are not followed; `unknot trace --results` has the times of messages"
_VCS = "VCs of this type of message (`use_read_write`); ranges may overlap"
_SIZE = "flits of this type of message (`use_read_write`)"
_SLOTS = "of buffers that are shared; for ranges of VCs together they are not built"
_FEEDBACK = "only the policies `feedback` and `simplefeedback`, which are not built, read it"
_CONVERGE = "when to stop: Unknot measures by batch means until they are independent"
_SPEC = "speculation bids as with the default value, see `Router.speculative`"

KEYS: dict[str, Key] = {
    # Networks.
    "topology": Key("str", "torus", "built", "`mesh`, `torus`, `fly`, `cmesh`, `flatfly`, `dragonflynew`, `fattree`, "
                    "`anynet`"),
    "k": Key("int", "8", "built", "size of the network"),
    "n": Key("int", "2", "built", "size of the network"),
    "c": Key("int", "1", "built", "terminals at a router: `cmesh` (4 only), `flatfly`"),
    "x": Key("int", "8", "built", "routers in x: `cmesh`, `flatfly`"),
    "y": Key("int", "8", "built", "routers in y: `cmesh`, `flatfly`"),
    "xr": Key("int", "1", "built", "terminals of a router in x: `cmesh`, `flatfly`, patterns on digits"),
    "yr": Key("int", "1", "built", "terminals of a router in y: `cmesh`, `flatfly`"),
    "routing_function": Key("str", "none", "partly", "see the table of routings"),
    "use_noc_latency": Key("int", "1", "built", "latencies of channels: 2 on tori, the distance on `cmesh` and "
                           "`flatfly`; else 1"),
    "network_file": Key("str", "", "built", "`anynet`: in the folder of the configuration, elsewhere with "
                        "`--outside-files`"),
    "subnets": Key("int", "1", "built", "`simulate(subnets=…)`; without batches"),
    "link_failures": Key("int", "0", "refused", "BookSim stops for any number above 0 (by an assertion on meshes and "
                         "tori), or ignores it; `network.without(…)` takes links away"),
    "fail_seed": Key("strs", "0", "inert", "seed of `link_failures`"),
    "channel_file": Key("str", "", "inert", "nothing in BookSim reads it"),
    "in_ports": Key("int", "5", "inert", "nothing in BookSim reads it"),
    "out_ports": Key("int", "5", "inert", "nothing in BookSim reads it"),
    # Routers.
    "router": Key("str", "iq", "refused", "input-queued; BookSim's `chaos` cannot start, and `event` stops in most "
                  "networks"),
    "num_vcs": Key("int", "16", "built", "`vcs`"),
    "vc_buf_size": Key("int", "8", "built", "`buffer_depth`"),
    "buf_size": Key("int", "-1", "built", "`buffer_depth` × `vcs`"),
    "buffer_policy": Key("str", "private", "partly", "`private`, `shared`, `limited`; the others change limits "
                         "on the way"),
    "private_bufs": Key("int", "-1", "refused", _SLOTS),
    "private_buf_size": Key("ints", "1", "partly", "`Router.own_slots`, the same for all VCs, at least 1"),
    "private_buf_start_vc": Key("ints", "-1", "refused", _SLOTS),
    "private_buf_end_vc": Key("ints", "-1", "refused", _SLOTS),
    "max_held_slots": Key("int", "-1", "built", "`Router.most_slots` (`limited`)"),
    "feedback_aging_scale": Key("int", "1", "inert", _FEEDBACK),
    "feedback_offset": Key("int", "0", "inert", _FEEDBACK),
    "wait_for_tail_credit": Key("int", "0", "built", "0: `switching=\"wormhole-nonatomic\"`; 1: `\"wormhole\"`"),
    "routing_delay": Key("int", "1", "built", "`Router.routing_delay`"),
    "vc_alloc_delay": Key("int", "1", "built", "`Router.vc_allocation_delay`"),
    "sw_alloc_delay": Key("int", "1", "built", "`Router.switch_allocation_delay`"),
    "st_prepare_delay": Key("int", "0", "built", "with `st_final_delay`: `Router.traversal_delay`"),
    "st_final_delay": Key("int", "1", "built", "with `st_prepare_delay`: `Router.traversal_delay`"),
    "credit_delay": Key("int", "0", "built", "`Router.credit_delay`"),
    "output_delay": Key("int", "0", "inert", "nothing in BookSim reads it"),
    "input_speedup": Key("int", "1", "built", "`Router.input_speedup`"),
    "output_speedup": Key("int", "1", "partly", "`Router.output_speedup`; not with speculation or a held switch"),
    "internal_speedup": Key("float", "1.0", "partly", "`Router.internal_speedup`, 1 to 16; with stages of one cycle"),
    "output_buffer_size": Key("int", "-1", "built", "`Router.output_buffer`; without speedup nothing waits behind "
                              "the switch"),
    "speculative": Key("int", "0", "built", "`Router.speculative`"),
    "spec_check_elig": Key("int", "1", "refused", _SPEC),
    "spec_check_cred": Key("int", "1", "refused", _SPEC),
    "spec_mask_by_reqs": Key("int", "0", "refused", _SPEC),
    "spec_sw_allocator": Key("str", "prio", "refused", "one allocator serves all bids"),
    "vc_allocator": Key("str", "islip", "partly", "`Router.allocator`: `islip`, `select`, `pim`, each with "
                        "`(iterations)`; `wavefront`, `rr_wavefront`, `loa`, `max_size`, `separable_input_first`, "
                        "`separable_output_first`, which is `select(1)` here; the arbiter `(matrix)`, not `tree`"),
    "sw_allocator": Key("str", "islip", "partly", "`Router.switch_allocator`, with iterations and an arbiter "
                        "of its own"),
    "alloc_iters": Key("int", "1", "built", "`Router.iterations`; BookSim ignores it (`--faithful` too)"),
    "arb_type": Key("str", "round_robin", "built", "`Router.arbiter`: `round_robin`, `matrix`; BookSim ignores it "
                    "(`--faithful` too), and `tree` is ignored here"),
    "hold_switch_for_packet": Key("int", "0", "built", "`Router.hold_switch`"),
    "vc_busy_when_full": Key("int", "0", "built", "`Router.claim_credit`"),
    "vc_prioritize_empty": Key("int", "0", "built", "`Router.empty_first`; nothing where the allocator of VCs knows "
                               "no priorities"),
    "vc_priority_donation": Key("int", "0", "built", "`Router.donate_priority`"),
    "vc_shuffle_requests": Key("int", "0", "built", "input VCs take turns port by port; a warning says so"),
    "noq": Key("int", "0", "refused", "VCs by the output port that a packet takes next"),
    "vct": Key("int", "0", "inert", "only the router `event` reads it"),
    # Traffic.
    "traffic": Key("strs", "uniform", "built", "`traffic`; see the table of patterns"),
    "classes": Key("int", "1", "built", "`classes`: a `TrafficClass` for each; a list has a value for each, and its "
                   "last one goes for the rest"),
    "class_priority": Key("ints", "0", "built", "`TrafficClass.priority`"),
    "perm_seed": Key("strs", "0", "built", "seed of `randperm`; the permutation is another than BookSim draws"),
    "injection_rate": Key("floats", "0.1", "built", "`load`, which is in flits: times the mean `packet_size`"),
    "injection_rate_uses_flits": Key("int", "0", "built", "`load`"),
    "injection_process": Key("strs", "bernoulli", "built", "`bursts` for `on_off`"),
    "burst_alpha": Key("float", "0.5", "built", "`Bursts.begin`"),
    "burst_beta": Key("float", "0.5", "built", "`Bursts.end`"),
    "burst_r1": Key("float", "-1.0", "built", "gives the one of the two that is negative"),
    "packet_size": Key("ints", "1", "built", "`packet_length`"),
    "packet_size_rate": Key("ints", "1", "built", "shares of the packet lengths"),
    "priority": Key("str", "none", "partly", "`Router.priority`: `none`, `age`, `class`; `class` with one class is "
                    "`none`"),
    "include_queuing": Key("int", "1", "refused", "latency counts from the creation of the packet"),
    "use_read_write": Key("ints", "0", "built", "`Message.reply`: reads and writes, answered by where they arrive"),
    "write_fraction": Key("floats", "0.5", "built", "`Message.share`"),
    **{f"{way}_{what}_{end}_vc": Key("int", default, "built", _VCS) for way, what, end, default in (
        ("read", "request", "begin", "0"), ("read", "request", "end", "5"),
        ("write", "request", "begin", "2"), ("write", "request", "end", "7"),
        ("read", "reply", "begin", "8"), ("read", "reply", "end", "13"),
        ("write", "reply", "begin", "10"), ("write", "reply", "end", "15"))},
    **{f"{way}_{what}_size": Key("ints", "1", "built", _SIZE)
       for what in ("request", "reply") for way in ("read", "write")},
    **{f"{way}_{what}_subnet": Key("int", "0", "built", "`Message.subnet`")
       for what in ("request", "reply") for way in ("read", "write")},
    # Simulation.
    "sim_type": Key("str", "latency", "built", "`latency` and `throughput` measure alike; `batch`: "
                    "`closed_loop` without replies"),
    "batch_size": Key("int", "1000", "built", "`requests` of `closed_loop`"),
    "batch_count": Key("int", "1", "built", "runs one after the other, each from an empty network"),
    "max_outstanding_requests": Key("int", "0", "built", "`window` of `closed_loop`"),
    "seed": Key("strs", "0", "built", "`seed`; the random numbers are others than BookSim's"),
    "sim_count": Key("int", "1", "built", "runs, with seeds that follow one another; means are printed"),
    "sample_period": Key("int", "1000", "built", "`--faithful`: `warmup` and `measure`; else Unknot chooses both"),
    "warmup_periods": Key("int", "3", "built", "`--faithful`: `warmup`; else Unknot chooses it"),
    "max_samples": Key("int", "10", "built", "`--faithful`: `measure`; else Unknot chooses it"),
    "measure_stats": Key("ints", "1", "partly", "everything is measured"),
    "latency_thres": Key("floats", "500.0", "inert", "what is not stable is found by source queues that grow"),
    "warmup_thres": Key("floats", "0.05", "inert", _CONVERGE),
    "acc_warmup_thres": Key("floats", "0.05", "inert", _CONVERGE),
    "stopping_thres": Key("floats", "0.05", "inert", _CONVERGE),
    "acc_stopping_thres": Key("floats", "0.05", "inert", _CONVERGE),
    # What is printed.
    "pair_stats": Key("int", "0", "inert", "`simulate(by_pair=True)` has them, `Run.pairs`"),
    "stats_out": Key("str", "", "inert", _OUT),
    "print_activity": Key("int", "0", "inert", "`unknot simulate --channels --json` gives every channel's share"),
    "print_csv_results": Key("int", "0", "inert", "`--csv` writes a row for each run"),
    "deadlock_warn_timeout": Key("int", "256", "inert", "deadlocks are found exactly, whenever one is tied"),
    "viewer_trace": Key("int", "0", "inert", "prints; changes nothing"),
    "watch_packets": Key("ints", "", "inert", _WATCH),
    **{key: Key("str", "", "inert", _WATCH)
       for key in ("watch_out", "watch_file", "watch_flits", "watch_transactions")},
    **{key: Key("str", "", "inert", _OUT) for key in (
        "injected_flits_out", "received_flits_out", "stored_flits_out", "sent_flits_out",
        "outstanding_credits_out", "ejected_flits_out", "active_packets_out", "used_credits_out", "free_credits_out",
        "max_credits_out", "sent_packets_out")},
    "sim_power": Key("int", "0", "inert", "no power is computed"),
    "power_output_file": Key("str", "pwr_tmp", "inert", _OUT),
    "tech_file": Key("str", "", "inert", "constants of power"),
    "channel_width": Key("int", "128", "inert", "power only"),
    "channel_sweep": Key("int", "0", "inert", "power only"),
}  # fmt: skip

POWER_KEYS = {
    "H_INVD2", "W_INVD2", "H_DFQD1", "W_DFQD1", "H_ND2D1", "W_ND2D1", "H_SRAM", "W_SRAM", "Vdd", "R", "IoffSRAM",
    "IoffP", "IoffN", "Cg_pwr", "Cd_pwr", "Cgdl", "Cg", "Cd", "LAMBDA", "MetalPitch", "Rw", "Cw_gnd", "Cw_cpl",
    "wire_length",
}  # fmt: skip
"""Keys of the technology file that `tech_file` names."""
