"""From a BookSim configuration to a design: relation, router, traffic, and how long to run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unknot.errors import SimulationError, TextError, UnknotError
from unknot.routing.relation import Relation
from unknot.simulation.engine.router import Allocator, Router
from unknot.simulation.engine.traffic import Bursts, length_shares, mean_length
from unknot.studies.booksim.configuration import Configuration, read_configuration, split
from unknot.studies.booksim.networks import Built, build
from unknot.studies.booksim.patterns import bursts, pattern
from unknot.studies.booksim.routings import relation_of
from unknot.switching import Switching
from unknot.traffic import Pattern

_ALLOCATOR = re.compile(r"(\w+)(?:\((\w*)\))?")
_ALLOCATORS = ("islip", "separable_input_first", "separable_output_first")
_ITERATIVE = ("islip",)
_SPECULATION = ("spec_check_elig", "spec_check_cred", "spec_mask_by_reqs")
_OFF = ("vc_busy_when_full", "vc_prioritize_empty", "vc_priority_donation", "vc_shuffle_requests", "noq")


@dataclass(frozen=True, eq=False)
class Setup:
    """A configuration, understood.

    Attributes
    ----------
    configuration : Configuration
    relation : Relation
    load : float
        Flits per terminal and cycle; may be more than 1.
    packet_length : dict of int to float
        Shares of the lengths.
    options : dict
        What `unknot.simulate` takes besides relation, load and seed.
    seeds : tuple of int
    built : Built
    watched : tuple of int
        Packets to follow.
    """

    configuration: Configuration
    relation: Relation
    load: float
    packet_length: dict[int, float]
    options: dict[str, Any] = field(repr=False)
    seeds: tuple[int, ...]
    built: Built
    watched: tuple[int, ...] = ()

    @property
    def mean_length(self) -> float:
        """Mean flits of a packet."""
        return mean_length(length_shares(self.packet_length))

    @property
    def warnings(self) -> list[str]:
        """What is said before anything runs."""
        return self.configuration.warnings

    def at(self, key: str, value: str) -> Setup:
        """The same with another value of one key; network and routing are built anew if the key may be theirs."""
        return _understood(self.configuration.changed(key, value), self if key in _OF_RUNS else None)


_OF_RUNS = (
    "injection_rate",
    "packet_size",
    "seed",
    "vc_buf_size",
    "traffic",
    "burst_alpha",
    "burst_beta",
    "burst_r1",
)
"""Keys that leave network and relation as they are."""


def read_setup(path: str | Path, overrides: Sequence[str] = (), *, faithful: bool = False) -> Setup:
    """Read and understand a configuration file of BookSim 2.

    Parameters
    ----------
    overrides : sequence of str
        ``key=value``, as BookSim takes them beside the file.
    faithful : bool
        Whether to do what BookSim does where that is known to be wrong.

    Returns
    -------
    Setup
        ``unknot.simulate(setup.relation, setup.load, **setup.options)`` is one run.

    Raises
    ------
    UnknotError
        With the place of what cannot be read, or the key whose value is not built.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "mesh")
    ...     _ = path.write_text("topology = mesh; k = 4; n = 2; routing_function = dor; num_vcs = 2;")
    ...     read_setup(path, ["injection_rate=0.2"]).relation
    <Relation dim_order of BookSim on mesh(4, 4), 96 VCs>
    """
    given = read_configuration(path, overrides, faithful=faithful)
    try:
        return _understood(given, None)
    except UnknotError as error:
        if Path(path).name in str(error) or "<command line>" in str(error):
            raise
        raise TextError(str(error), path) from None


def _understood(given: Configuration, before: Setup | None) -> Setup:
    if before is None:
        built = build(given)
        relation = relation_of(given, built)
    else:
        built, relation = before.built, before.relation
    given.require("router")
    given.require("subnets")
    given.require("classes")
    given.require("link_failures")
    if any(int(value) for value in given.values("use_read_write") if value.isdigit()):
        given.require("use_read_write")
    if given.one("measure_stats") == "0":
        raise given.error("measure_stats", "nothing would be measured")
    given.require("sim_type", "throughput")
    lengths = _lengths(given)
    chance = given.number("injection_rate")
    mean = mean_length(length_shares(lengths))
    load = chance if given.on("injection_rate_uses_flits") else chance * mean
    if not 0 < load / mean <= 1:
        raise given.error("injection_rate", f"packets in a cycle are above 0 and at most 1, got {load / mean:g}")
    switching: Switching = "wormhole" if given.on("wait_for_tail_credit") else "wormhole-nonatomic"
    chosen: Pattern = pattern(given, built)
    burst: Bursts | None = bursts(given, built, load / mean)
    options: dict[str, Any] = {
        "packet_length": lengths if len(lengths) > 1 else next(iter(lengths)),
        "switching": switching,
        "buffer_depth": _depth(given),
        "traffic": chosen,
        "router": _router(given),
        "bursts": burst,
    }
    given.require("include_queuing")
    options |= _cycles(given)
    first, many = _seed(given), given.whole("sim_count", 1, 10_000)
    given.on("print_csv_results")
    seeds = tuple(range(first, first + many))
    return Setup(given, relation, load, lengths, options, seeds, built, _watched(given))


def _watched(given: Configuration) -> tuple[int, ...]:
    """Packets to follow, if there is somewhere to write what happens to them."""
    if "watch_out" not in given or "watch_packets" not in given:
        return ()
    given.text("watch_out")
    found = given.values("watch_packets")
    wrong = [text for text in found if not re.fullmatch(r"\d{1,9}", text)]
    if wrong:
        raise given.error("watch_packets", f"numbers of packets are wanted, not {wrong[0]}")
    return tuple(int(text) for text in found)


def _lengths(given: Configuration) -> dict[int, float]:
    """Shares of the packet lengths of the one class."""
    sizes = split(given.one("packet_size"))
    rates = split(given.one("packet_size_rate")) if len(sizes) > 1 else ("1",)
    for key, texts in (("packet_size", sizes), ("packet_size_rate", rates)):
        wrong = [text for text in texts if not text.isdigit() or not 0 < int(text) <= 2**20]
        if wrong or not texts:
            raise given.error(key, f"whole numbers from 1 to {2**20} are wanted, not {wrong[0] if wrong else 'none'}")
    rates = (rates + (rates[-1],) * len(sizes))[: len(sizes)]
    found: dict[int, float] = {}
    for size, rate in zip(sizes, rates, strict=True):
        found[int(size)] = found.get(int(size), 0.0) + int(rate)
    return dict(length_shares(found))


def _depth(given: Configuration) -> int:
    """Flits of a VC's buffer."""
    given.require("buffer_policy")
    depth, shared, vcs = given.whole("vc_buf_size"), given.whole("buf_size"), given.whole("num_vcs", 1)
    key = "buf_size" if shared > 0 else "vc_buf_size"
    depth = shared // vcs if shared > 0 else depth
    if not 0 < depth <= 1 << 20:
        raise given.error(key, f"a VC has from 1 to {1 << 20} flits, got {depth}")
    return depth


def _router(given: Configuration) -> Router:
    for key in _OFF:
        given.require_off(key)
    speculative = given.on("speculative")
    if speculative:
        given.require("spec_sw_allocator")
        for key in _SPECULATION:
            given.require(key)
    given.require("priority", "age", "class")
    allocator, iterations = _allocator(given)
    try:
        router = Router(
            routing_delay=given.whole("routing_delay"),
            vc_allocation_delay=given.whole("vc_alloc_delay"),
            switch_allocation_delay=given.whole("sw_alloc_delay"),
            traversal_delay=given.whole("st_prepare_delay") + given.whole("st_final_delay"),
            credit_delay=given.whole("credit_delay"),
            speculative=speculative,
            allocator=allocator,
            iterations=iterations,
            priority="age" if given.text("priority") == "age" else "none",
            hold_switch=given.on("hold_switch_for_packet"),
            input_speedup=given.whole("input_speedup"),
            output_speedup=given.whole("output_speedup"),
            internal_speedup=given.number("internal_speedup"),
        )
    except SimulationError as error:
        for key, name in _DELAYS.items():
            if f" {name} " in str(error):
                raise given.error(key, str(error)) from None
        raise
    if router.queues:
        given.require("output_buffer_size")
    return router


_DELAYS = {
    "routing_delay": "routing_delay",
    "vc_alloc_delay": "vc_allocation_delay",
    "sw_alloc_delay": "switch_allocation_delay",
    "st_final_delay": "traversal_delay",
    "credit_delay": "credit_delay",
    "vc_allocator": "iterations",
    "input_speedup": "input_speedup",
    "output_speedup": "output_speedup",
    "internal_speedup": "internal_speedup",
}


def _allocator(given: Configuration) -> tuple[Allocator, int]:
    """Name and iterations of the allocator of VCs and of the switch."""
    found: list[tuple[Allocator, int]] = []
    for key in ("vc_allocator", "sw_allocator"):
        match = _ALLOCATOR.fullmatch(given.text(key))
        name = match[1] if match else ""
        if match is None or name not in _ALLOCATORS:
            raise given.error(key, f"{given.text(key)} is not built: {', '.join(_ALLOCATORS)} are")
        inside = match[2] or ""
        iterations = 1
        if name in _ITERATIVE:
            iterations = _iterations(given, key, inside)
        else:
            arbiter = inside or ("round_robin" if given.faithful else given.text("arb_type"))
            if arbiter != "round_robin":
                raise given.error(key if inside else "arb_type", f"arbiter {arbiter} is not built: round_robin is")
        # Of outputs that choose first, once and without priorities, iSLIP is made.
        found.append(("separable_input_first" if name == "separable_input_first" else "islip", iterations))
    if found[0] != found[1]:
        raise given.error("sw_allocator", "VCs and the switch have one allocator between them, so both must be alike")
    return found[0]


def _iterations(given: Configuration, key: str, inside: str) -> int:
    if inside:
        if not inside.isdigit() or not 1 <= int(inside) <= 1000:
            raise given.error(key, f"iterations are a whole number from 1 to 1000, not {inside}")
        return int(inside)
    if given.faithful:
        return 1
    wanted = given.whole("alloc_iters", 1, 1000)
    if wanted > 1 and key == "vc_allocator":
        given.warn("alloc_iters", "BookSim ignores it and iterates once; --faithful does so too")
    return wanted


def _cycles(given: Configuration) -> dict[str, Any]:
    """How long to warm up and to measure: as BookSim does at most, if faithful."""
    keys = ("sample_period", "warmup_periods", "max_samples")
    period, warm, most = (given.whole(key, least) for key, least in zip(keys, (1, 0, 1), strict=True))
    if not given.faithful:
        return {}
    return {"warmup": warm * period, "measure": max(1, most - warm) * period}


def _seed(given: Configuration) -> int:
    text = given.one("seed")
    if text == "time":
        raise given.error("seed", "a seed is a number: a run that cannot be repeated proves nothing")
    if not re.fullmatch(r"-?\d{1,10}", text):
        raise given.error("seed", f"a whole number is wanted, not {text[:40]}")
    return int(text) & 0xFFFFFFFF
