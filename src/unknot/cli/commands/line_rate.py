"""`unknot line-rate`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from unknot._base.errors import UnknotError
from unknot.cli.commands.options import SEED, Json, Options, Seed
from unknot.cli.exit_codes import HOLDS

if TYPE_CHECKING:
    from unknot._base.arrays import Floats
    from unknot.network import Network
    from unknot.routing.relation import Relation


@dataclass(frozen=True)
class LineRateOptions(Options):
    """The network, the job, and how switches choose.

    Attributes
    ----------
    network : argument FOLDER|NETWORK
        Folder of Ethernet switches or of an InfiniBand fabric, whose tables are the routes; or a network.
    operation
        What the job does: all_reduce, all_gather and reduce_scatter as a ring in the order of ranks, all_to_all at
        once.
    members : FILE
        A file with the terminal of a NIC in each line, rank 0 first; a switch of an Ethernet folder once for each of
        its NICs. For NICs with a port in each of several planes, these terminals with ; between them. Without it
        all terminals.
    gpus
        NICs of a host, which follow one another; rings go from each to that of the same place in the next host.
    qps
        Queue pairs of a flow, each with a hash of its own.
    hash
        Hash of the switches: independent draws at each; same: one for all, which polarises; crc32: CRC-32 of
        addresses and ports with the same seed at each.
    routing : NAME
        Routing in place of the tables of a folder; of a network ospf if nothing is said.
    down : PAIRS
        Cables that are down, "ROUTER,ROUTER; ROUTER,ROUTER": next hops that lose their way are withdrawn.
    line_rate : GBPS
        Line rate of a NIC in Gb/s, where files tell the rates of cables; without it that of ports to hosts, or the
        commonest of cables.
    draws
        Number of hashes that are drawn; without it up to 10,000.
    """

    network: str
    operation: Literal["all_reduce", "all_gather", "reduce_scatter", "all_to_all"] = "all_reduce"
    members: Path | None = None
    gpus: int = 1
    qps: int = 1
    hash: Literal["independent", "same", "crc32"] = "independent"
    routing: str | None = None
    down: str | None = None
    line_rate: float | None = None
    draws: int | None = None
    seed: Seed = SEED
    json: Json = False


def line_rate(options: LineRateOptions) -> int:
    """Tell how much of the line rate a job can get when hashes choose among equal-cost paths.

    The answer is the distribution of the busiest cable's load and of the job's share of line rate, over hashes; the
    cables that are busiest; and what more queue pairs, other hashes, or spreading of packets would give. The share
    is an upper bound by the network: NIC, host and library are not modelled.

    Examples
    --------
    >>> import unknot
    >>> answer = unknot.line_rate("xgft([4, 4], [1, 4])", gpus=4, draws=1000)
    >>> answer.members, answer.sprayed_load, 0.3 < answer.share < 0.5
    (16, 1.0, True)
    """
    import numpy as np

    from unknot.cli.answers.line_rate import LineRateAnswer
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import tell
    from unknot.verify.job_flows import JobRanks
    from unknot.verify.line_rate import Hashing
    from unknot.verify.line_rate_answer import line_rate as judged

    for name, number in (("--gpus", options.gpus), ("--qps", options.qps), ("--draws", options.draws or 1)):
        if number < 1:
            raise UnknotError(f"{name} is a number from 1, got {number}")
    relation, rates, hosts, unread = _routes(options)
    network = relation.network
    slowness, rate = 1 / np.asarray(network.bandwidth, dtype=np.float64), "that of the commonest cable"
    if rates is not None:
        nic = options.line_rate or hosts or Counter(rates.tolist()).most_common(1)[0][0]
        slowness, rate = nic / rates, f"{nic:g} Gb/s"
    elif options.line_rate is not None:
        raise UnknotError(f"{network.name}: its files do not tell the rates of cables, so --line-rate has no meaning")
    nics = (
        [(terminal,) for terminal in range(network.num_terminals)]
        if options.members is None
        else _members(options.members, network)
    )
    ranks = JobRanks(tuple(nics), options.operation, options.gpus)
    with activity.working("drawing hashes"):
        answer = judged(
            relation, ranks, Hashing(options.hash, options.qps), slowness, rate,
            down=_down(options.down, network), seed=options.seed, draws=options.draws, unread=unread,
        )  # fmt: skip
    tell(options.json, LineRateAnswer, answer)
    return HOLDS


def _routes(options: LineRateOptions) -> tuple[Relation, Floats | None, float | None, tuple[str, ...]]:
    """The routes, Gb/s of each channel and of ports to hosts where known, and what of a folder is not read."""
    from unknot.cli.commands.shared import relation_of
    from unknot.fabrics.ethernet.folder import is_ethernet, read_ethernet

    folder = Path(options.network)
    if is_ethernet(folder):
        from unknot.routing.routes_read import routes_read
        from unknot.verify.cable_rates import cable_rates

        fabric = read_ethernet(folder).one_vrf
        known = cable_rates(fabric)
        if options.routing is None:
            return routes_read(fabric).relation(f"routes of {fabric.name}"), *known, fabric.unread
        return relation_of(options.network, options.routing, None), *known, fabric.unread
    if folder.is_dir() and options.routing is None:
        from unknot.fabrics import read_fabric
        from unknot.routing.fabric_relation import fabric_relation

        return fabric_relation(read_fabric(folder)), None, None, ()
    return relation_of(options.network, options.routing or "ospf", None), None, None, ()


def _members(file: Path, network: Network) -> list[tuple[int, ...]]:
    """The terminals of each NIC, in the lines of a file."""
    from unknot._base.calls import Piece
    from unknot._base.errors import NetworkError
    from unknot._base.input import read_text

    members = list[tuple[int, ...]]()
    for number, line in enumerate(read_text(file).splitlines(), 1):
        text = line.split("#")[0]
        piece = Piece(text.strip(), file, len(text) - len(text.lstrip()) + 1, line, number)
        ports = list[int]()
        for port in piece.split(";"):
            try:
                ports.append(network.terminal(port.text))
            except NetworkError as error:
                raise port.error(
                    f"{error}; a line has the terminal of a NIC, or one in each plane with ; between"
                ) from None
        if ports and len(ports) != len(members[0] if members else ports):
            raise piece.error(f"{len(ports)} planes, but lines above have {len(members[0])}")
        members += [tuple(ports)] if ports else []
    return members


def _down(given: str | Iterable[str | Iterable[str]] | None, network: Network) -> frozenset[tuple[int, int]]:
    """Pairs of routers whose cables are down; Python also gives a list of pairs, or of their texts."""
    from unknot._base.calls import Piece
    from unknot._base.errors import near

    names = {network.router_name(router): router for router in range(network.num_routers)}
    several = [given] if isinstance(given, str) else given or ()
    text, pairs = ";".join(one if isinstance(one, str) else ",".join(one) for one in several), set()
    for part in Piece(text, "--down").split(";"):
        ends = [end.text for end in part.split(",")]
        for end in ends:
            if end not in names:
                raise part.error(f"there is no router {end!r}; {near(end, names)}")
        if len(ends) != 2:
            raise part.error("ROUTER,ROUTER is needed")
        a, b = sorted(names[end] for end in ends)
        pairs.add((a, b))
    return frozenset(pairs)
