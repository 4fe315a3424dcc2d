"""From a BookSim configuration to a design: relation, router, traffic, and how long to run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from unknot._base.errors import TextError, UnknotError
from unknot._base.switching import Switching
from unknot.routing.relation import Relation
from unknot.simulation.energy.gates import GateTechnology
from unknot.simulation.energy.option import Energy, read_technology
from unknot.traffic.workload import Traffic, length_shares, mean_length
from unknot_booksim.built import Built
from unknot_booksim.classes import (
    has_classes,
    kinds_by_subnet,
    lengths_of,
    routed,
    subnets_of,
    traffic_classes,
)
from unknot_booksim.configuration import Configuration, read_configuration
from unknot_booksim.fork_patterns import busiest
from unknot_booksim.networks import build
from unknot_booksim.patterns import bursts, pattern
from unknot_booksim.routers import depth_of, router_of


@dataclass(frozen=True)
class Batches:
    """Batches that every terminal sends.

    Attributes
    ----------
    size : int
        Packets of a terminal in a batch.
    count : int
    window : int
        Packets of a terminal that may be on their way.
    """

    size: int
    count: int
    window: int


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
    batches : Batches or None
        What is sent instead of a load; `options` then are those of `unknot.simulation.closed_loop`.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "mesh")
    ...     _ = path.write_text("topology = mesh; k = 4; n = 2; routing_function = dor; packet_size = 5;")
    ...     setup = read_setup(path, ["injection_rate=0.01"])
    >>> setup.load, setup.mean_length
    (0.05, 5.0)
    """

    configuration: Configuration
    relation: Relation
    load: float
    packet_length: dict[int, float]
    options: dict[str, Any] = field(repr=False)
    seeds: tuple[int, ...]
    built: Built
    batches: Batches | None = None

    @property
    def mean_length(self) -> float:
        """Mean flits of a packet."""
        return mean_length(length_shares(self.packet_length))

    @property
    def answers(self) -> dict[str, str]:
        """Message class of the reply to each class of requests."""
        return {
            f"{way}_request": f"{way}_reply" for way in ("read", "write") if f"{way}_request" in self.relation.classes
        }

    @property
    def proved(self) -> list[Relation]:
        """The relations that are proved: of each subnet for its types of messages, if there are several."""
        if "subnets" not in self.options or not self.relation.classes:
            return [self.relation]
        return [routed(self.configuration, self.built, kinds) for kinds in kinds_by_subnet(self.configuration)]

    @property
    def warnings(self) -> list[str]:
        """Warnings to show before anything runs."""
        return self.configuration.warnings

    def at(self, key: str, setting: str) -> Setup:
        """Change the value of one key; network and routing are built anew if the key may be theirs."""
        return _understood(self.configuration.changed(key, setting), self if key in _OF_RUNS else None)


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


def read_setup(
    path: str | Path, overrides: Sequence[str] = (), *, faithful: bool = False, outside_files: bool = False
) -> Setup:
    """Read and understand a configuration file of BookSim 2.

    Parameters
    ----------
    path : str or Path
        The file.
    overrides : sequence of str
        ``key=value``, as BookSim takes them beside the file.
    faithful : bool
        Whether to do what BookSim does where that is known to be wrong.
    outside_files : bool
        Whether the file may name a network file outside its folder; an override may in any case.

    Returns
    -------
    Setup
        ``unknot.simulation.simulate(setup.relation, setup.load, **setup.options)`` is one run.

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
    settings = read_configuration(path, overrides, faithful=faithful)
    settings.confined = not outside_files
    try:
        return _understood(settings, None)
    except UnknotError as error:
        if Path(path).name in str(error) or "<command line>" in str(error):
            raise
        raise TextError(str(error), path) from None


def _understood(settings: Configuration, before: Setup | None) -> Setup:
    if before is None:
        built = build(settings)
        relation = routed(settings, built)
    else:
        built, relation = before.built, before.relation
    settings.require("router")
    settings.require("link_failures")
    if "0" in settings.values("measure_stats"):
        settings.warn("measure_stats", "everything is measured, classes with 0 too")
    settings.require("sim_type", "throughput", "batch")
    in_batches, several = settings.text("sim_type") == "batch", has_classes(settings)
    batches, options = None, _of_routers(settings)
    if several:
        mix = traffic_classes(settings, built)
        load, lengths = sum(one.share for one in mix), dict(Traffic(classes=mix).lengths)
        options |= {"classes": mix} | ({"subnets": subnets_of(settings)} if subnets_of(settings) > 1 else {})
    else:
        lengths = lengths_of(settings)
        options["traffic"] = sent = pattern(settings, built)
        known = None if before is None else before.options.get("traffic")
        if known is not None and (known.name, known.digest) == (sent.name, sent.digest):
            options["traffic"] = known  # what runs remember of it is not worked out again
    if in_batches:
        batches, load = _batches(settings, lengths, several), 1.0
        options["itself"] = True
    elif not several:
        load, mean = settings.number("injection_rate"), mean_length(length_shares(lengths))
        load *= 1 if settings.on("injection_rate_uses_flits") else mean
        if not 0 < load / mean <= 1:
            words = f"packets in a cycle are above 0 and at most 1, got {load / mean:g}"
            raise settings.error("injection_rate", words)
        options["packet_length"] = lengths if len(lengths) > 1 else next(iter(lengths))
        options["bursts"] = bursts(settings, built, load / mean)
        load *= busiest(options["traffic"])
    options |= {} if in_batches else _cycles(settings)
    if settings.on("sim_power"):
        if in_batches:
            raise settings.error("sim_power", "power of batches is not built")
        options["energy"] = _energy(settings)
    return Setup(settings, relation, load, lengths, options, _seeds(settings), built, batches)


def _energy(settings: Configuration) -> Energy:
    """The technology file of a configuration, with its width."""
    if not settings.text("tech_file"):
        raise settings.error("sim_power", "power needs a technology file, and tech_file names none")
    technology = read_technology(settings.file("tech_file"))
    if settings.faithful and isinstance(technology, GateTechnology):
        technology = replace(technology, faithful=True)
    return Energy(technology, flit_width=settings.whole("channel_width", 1))


def _batches(settings: Configuration, lengths: dict[int, float], several: bool) -> Batches:
    """The batches of packets that a configuration sends."""
    if several:
        raise settings.error(
            "sim_type",
            "batches of several classes or subnets, or of reads and writes, are not built; of the latter BookSim "
            "counts the replies that a terminal sends as packets of its batch: its requests depend on who asks it",
        )
    if len(lengths) > 1:
        raise settings.error("packet_size", "packets of a batch have one size")
    size, window = settings.whole("batch_size", 1, 1_000_000), settings.whole("max_outstanding_requests")
    return Batches(size, settings.whole("batch_count", 1, 1000), window if 0 < window < size else size)


def _of_routers(settings: Configuration) -> dict[str, Any]:
    """Options of `simulate` that describe the routers."""
    if settings.whole("include_queuing") != 1:
        words = "latency counts from the creation of packets; from their entry on it is network_latency_mean"
        settings.warn("include_queuing", words)
    switching: Switching = "wormhole" if settings.on("wait_for_tail_credit") else "wormhole-nonatomic"
    return {"switching": switching, "buffer_depth": depth_of(settings), "router": router_of(settings)}


def _cycles(settings: Configuration) -> dict[str, Any]:
    """Return the cycles to warm up and to measure: the most that BookSim takes, if faithful."""
    keys = ("sample_period", "warmup_periods", "max_samples")
    period, warm, most = (settings.whole(key, least) for key, least in zip(keys, (1, 0, 1), strict=True))
    if not settings.faithful:
        return {}
    return {"warmup": warm * period, "measure": max(1, most - warm) * period}


def _seeds(settings: Configuration) -> tuple[int, ...]:
    """A seed for each simulation."""
    text = settings.one("seed")
    if text == "time":
        raise settings.error("seed", "a seed is a number: a run that cannot be repeated proves nothing")
    if not re.fullmatch(r"-?\d{1,10}", text):
        raise settings.error("seed", f"a whole number is needed, not {text[:40]}")
    first = int(text) & 0xFFFFFFFF
    return tuple(range(first, first + settings.whole("sim_count", 1, 10_000)))
