"""Traffic classes of BookSim, reads and writes with their replies, and the virtual channels (VCs) of each type."""

from __future__ import annotations

from collections.abc import Sequence

from unknot.routing.classes import in_ranges
from unknot.routing.relation import Relation
from unknot.traffic.workload import HIGHEST_PRIORITY, Message, TrafficClass, length_shares
from unknot_booksim.built import Built
from unknot_booksim.configuration import Configuration, split
from unknot_booksim.fork_patterns import busiest
from unknot_booksim.patterns import bursts, pattern
from unknot_booksim.routings import relation_of

TYPES = ("read_request", "write_request", "read_reply", "write_reply")
"""Types of messages, each with a range of VCs of its own."""
ANY = "any"
"""Messages that may take all VCs, beside others that may not."""
MOST_CLASSES = 64


def has_classes(settings: Configuration) -> bool:
    """Whether there are several traffic classes, reads and writes, several subnets, or VCs of a class."""
    return (
        settings.whole("classes", 1, MOST_CLASSES) > 1
        or any(reads_of(settings))
        or subnets_of(settings) > 1
        or any(ranges_of(settings))
    )


def ranges_of(settings: Configuration) -> list[tuple[int, int] | None]:
    """First and last VC of each class by the keys of forks; None where a class may take all."""
    ranges: list[tuple[int, int] | None] = []
    for k in range(settings.whole("classes", 1, MOST_CLASSES)):
        here, vcs = settings.of_class(k), settings.whole("num_vcs", 1, 1024)
        low, high = here.whole("start_vc", -1, vcs - 1), here.whole("end_vc", -1, vcs - 1)
        if (low < 0) != (high < 0) or low > high:
            raise settings.error("end_vc", f"VCs {low} to {high} of {vcs}: a class has a first and a last VC")
        ranges.append((low, high) if low >= 0 else None)
    return ranges


def subnets_of(settings: Configuration) -> int:
    """Number of networks side by side."""
    return settings.whole("subnets", 1, 64)


def _subnet(settings: Configuration, kind: str) -> int:
    """The subnet of a type of messages."""
    return settings.whole(f"{kind}_subnet", 0, subnets_of(settings) - 1)


def kinds_by_subnet(settings: Configuration) -> list[tuple[str, ...]]:
    """The types of messages that each subnet carries, of a configuration that reads and writes in all classes."""
    by_subnet = [tuple(kind for kind in TYPES if _subnet(settings, kind) == k) for k in range(subnets_of(settings))]
    return [kinds for kinds in by_subnet if kinds]


def reads_of(settings: Configuration) -> list[bool]:
    """Whether each class reads and writes."""
    many = settings.whole("classes", 1, MOST_CLASSES)
    return [settings.of_class(k).on("use_read_write") for k in range(many)]


def _range(settings: Configuration, kind: str, vcs: int) -> tuple[int, int]:
    """First and last VC of a type of messages."""
    low, high = settings.whole(f"{kind}_begin_vc"), settings.whole(f"{kind}_end_vc")
    if settings.text("topology") == "dragonflynew":
        # BookSim's routing functions of dragonflies look at no range.
        return 0, vcs - 1
    if not 0 <= low <= high < vcs:
        words = f"VCs {low} to {high} of {vcs}: with use_read_write ranges are within num_vcs"
        raise settings.error(f"{kind}_end_vc", words)
    return low, high


def routed(settings: Configuration, built: Built, kinds: Sequence[str] = TYPES) -> Relation:
    """The routing of a configuration, for each type of messages on its VCs.

    Parameters
    ----------
    kinds : sequence of str
        Types of messages, by default all.

    Raises
    ------
    UnknotError
        If the routing function cannot be had on the VCs of a type.
    """
    reads = reads_of(settings)
    of_classes = ranges_of(settings)
    if not any(reads) and not any(of_classes):
        return relation_of(settings, built)
    vcs = settings.whole("num_vcs", 1, 1024)
    settings.text("routing_function")
    ranges = {kind: _range(settings, kind, vcs) for kind in kinds} if any(reads) else {}
    for k, reading in enumerate(reads):
        if not reading:
            ranges[_kind_of(k, of_classes[k])] = of_classes[k] or (0, vcs - 1)
    wide = {high - low + 1 for low, high in ranges.values()}
    bases = {count: relation_of(settings.changed("num_vcs", str(count)), built) for count in sorted(wide)}
    return in_ranges(built.network, vcs, [(kind, low, bases[high - low + 1]) for kind, (low, high) in ranges.items()])


def traffic_classes(settings: Configuration, built: Built) -> tuple[TrafficClass, ...]:
    """The traffic classes of a configuration; shares are flits per terminal and cycle.

    Raises
    ------
    UnknotError
        For values that no class can have.
    """
    reads, ranges = reads_of(settings), ranges_of(settings)
    classes = []
    for k, reading in enumerate(reads):
        here = settings.of_class(k)
        kind = _kind_of(k, ranges[k]) if any(reads) or any(ranges) else ""
        forms = _reads_and_writes(here) if reading else _plain(here, kind, ranges[k])
        mean = TrafficClass(messages=forms).mean_length
        # What BookSim divides by where the rate is in flits: half of the four sizes together.
        sizes = sum(here.whole(f"{kind}_size", 1, 2**20) for kind in TYPES) // 2 if reading else mean
        chance = here.number("injection_rate")
        chance = chance / sizes if settings.on("injection_rate_uses_flits") else chance
        if not 0 < chance <= 1:
            raise settings.error("injection_rate", f"packets in a cycle are above 0 and at most 1, got {chance:g}")
        sent = pattern(here, built)
        classes.append(
            TrafficClass(
                share=chance * mean * busiest(sent),
                traffic=sent,
                messages=forms,
                priority=here.whole("class_priority", 0, HIGHEST_PRIORITY),
                bursts=bursts(here, built, chance),
                name=str(k),
            )
        )
    return tuple(classes)


def _kind_of(k: int, vcs: tuple[int, int] | None) -> str:
    """The message class of a traffic class that does not read and write."""
    return ANY if vcs is None else f"class {k}"


def _plain(settings: Configuration, kind: str, vcs: tuple[int, int] | None) -> tuple[Message, ...]:
    """Messages of a class that does not read and write, in its subnet or in any."""
    if kind and vcs is None:
        vcs = 0, settings.whole("num_vcs") - 1
    many = subnets_of(settings)
    subnet = settings.whole("class_subnet", -1, many - 1)
    return tuple(
        Message(flits, share, kind=kind, vcs=vcs, subnet=one)
        for flits, share in lengths_of(settings).items()
        for one in (range(many) if subnet < 0 else (subnet,))
    )


def _reads_and_writes(settings: Configuration) -> tuple[Message, ...]:
    """Reads and writes, each with its reply."""
    writes = settings.number("write_fraction")
    if not 0 <= writes <= 1:
        raise settings.error("write_fraction", f"a part from 0 to 1 is needed, not {writes:g}")
    vcs = settings.whole("num_vcs")
    return tuple(
        Message(
            settings.whole(f"{way}_request_size", 1, 2**20),
            share,
            f"{way}_request",
            settings.whole(f"{way}_reply_size", 1, 2**20),
            f"{way}_reply",
            _range(settings, f"{way}_request", vcs),
            _range(settings, f"{way}_reply", vcs),
            _subnet(settings, f"{way}_request"),
            _subnet(settings, f"{way}_reply"),
        )
        for way, share in (("read", 1 - writes), ("write", writes))
        if share > 0
    )


def lengths_of(settings: Configuration) -> dict[int, float]:
    """Shares of the packet lengths of a class."""
    sizes = split(settings.one("packet_size"))
    rates = split(settings.one("packet_size_rate")) if len(sizes) > 1 else ("1",)
    for key, texts in (("packet_size", sizes), ("packet_size_rate", rates)):
        wrong = [text for text in texts if not text.isdecimal() or len(text) > 9 or not 0 < int(text) <= 2**20]
        if wrong or not texts:
            raise settings.error(
                key, f"whole numbers from 1 to {2**20} are needed, not {wrong[0] if wrong else 'none'}"
            )
    rates = (rates + (rates[-1],) * len(sizes))[: len(sizes)]
    shares: dict[int, float] = {}
    for size, rate in zip(sizes, rates, strict=True):
        shares[int(size)] = shares.get(int(size), 0.0) + int(rate)
    return dict(length_shares(shares))
