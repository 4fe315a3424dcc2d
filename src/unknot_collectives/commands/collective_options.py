"""Options of `unknot collective`, and the operation that these describe."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unknot._base.calls import Piece
from unknot._base.errors import SimulationError, UnknotError
from unknot._base.switching import DEFAULT_SWITCHING, Switching
from unknot.cli.commands.options import Json, MostTime, NetworkText, Options
from unknot_collectives.commands.block_sizes import most_of, rows_of
from unknot_collectives.commands.ranks import terminals_of

if TYPE_CHECKING:
    from unknot._base.units import Units
    from unknot.network import Network
    from unknot_collectives import Operation

DEPTH = 16
"""Flits per virtual channel by default, of runs in packets."""


@dataclass(frozen=True)
class CollectiveOptions(Options):
    """The operation, how its schedules are made and run, and where the answer goes.

    Attributes
    ----------
    operation
        Operation: broadcast, reduce, scatter, gather, all_gather, reduce_scatter, all_reduce, barrier or all_to_all.
    size : SIZE,…|FILE.csv|json
        Flits of the vector (broadcast, reduce, all_reduce), of a message (barrier), or of a block; with --units bytes
        too, as 64kB; by default 64, and 1 for barrier. Or, for all_to_all, a file of blocks: a row for each sender,
        a column for each receiver.
    algorithm
        Algorithms: best, optimal, or textbook ones such as ring; or a file of --export, .csv or .json; several with
        commas.
    routing : NAME
        Routing on which the schedules run.
    root
        Terminal with all data at the beginning or end; by default 0.
    members : T,T,…[;T,T,…]|FILE
        Terminals that take part; by default all. Semicolons separate groups, which run the operation at the same
        time. Or a .csv or .txt file with a terminal in each line, that of rank 0 first: rings and trees keep this
        order, which is searched otherwise.
    groups
        Number of equal groups of the members, in their order, in place of groups by --members.
    pieces
        Number of pieces of each chunk; by default the best number.
    buffer_depth
        Flits per virtual channel; by default 16, for whole messages 8, or the longest one under vct, saf.
    overhead
        Cycles that each message costs its terminal before it is sent, in bounds and schedules too; chunks that take
        one path in a step are a message. With --routing messages are whole.
    terminal_width
        Flits per cycle sent and received by a terminal, each of another message.
    router : OPTIONS
        Options of the router; by default 'internal_speedup=2' where packets leave at rates.
    library : nccl|rccl(OPTIONS)
        For a topology of NCCL: 'nccl(nodes=2)' tells what the library chooses on so many machines; further options
        gpu, nic, sharp, graph (NCCL_GRAPH_FILE), dump. Terminals send 5,000 flits per cycle.
    together
        Send chunks that take one path in a step as one message.
    packet
        Flits of the packets of messages, which leave at the rates of the model; by default 16. 0: whole messages as
        soon as they can go, as with --overhead and --together.
    export : FILE.csv|json|xml
        File of the schedule: its transfers, which --algorithm reads again, or an MSCCL program.
    out : svg|png|pdf|html
        pictures of the busy channels over time; .html plays them on the network
    """

    network: NetworkText
    operation: str = "all_reduce"
    size: str | None = None
    algorithm: str = "best"
    routing: str | None = None
    root: int | None = None
    members: str | None = None
    groups: int = 1
    pieces: int | None = None
    vcs: int | None = None
    switching: Switching = DEFAULT_SWITCHING
    buffer_depth: int | None = None
    overhead: int = 0
    terminal_width: int = 1
    router: str = ""
    library: str | None = None
    together: bool = False
    packet: int | None = None
    deadline: MostTime = None
    export: Path | None = None
    evidence: Path | None = None
    units: str | None = None
    json: Json = False

    @property
    def of_run(self) -> dict[str, Any]:
        """How schedules are run on a routing."""
        from unknot._base.numbers import require_whole
        from unknot.simulation.run.options import router_of
        from unknot_collectives.timetable import PACKET

        if self.buffer_depth is not None:
            require_whole("--buffer-depth", self.buffer_depth, 1, unit="flits", error=SimulationError)
        packet = self.packet
        if packet is None:
            packet = 0 if self.overhead or self.together else PACKET
        require_whole("--packet", packet, 0, unit="flits", error=SimulationError)
        if packet and (self.overhead or self.together):
            raise UnknotError(f"--packet {packet}: with --overhead or --together messages are whole; give --packet 0")
        router = replace(
            router_of(self.router or "internal_speedup=2" * bool(packet)), terminal_width=self.terminal_width
        )
        if self.terminal_width > 1 and router.selection is None:
            router = replace(router, selection="first")
        depth = DEPTH if packet and self.buffer_depth is None and self.switching == DEFAULT_SWITCHING else None
        given = self.some("switching", "buffer_depth", "overhead", "together") | {"router": router, "packet": packet}
        return given | ({"buffer_depth": depth} if depth else {})

    def operation_on(self, network: Network, rows: list[list[int]]) -> Operation:
        """Return the operation, of size 1, on the terminals of a network."""
        from unknot_collectives import Operation
        from unknot_collectives.operation import ROOTED

        first, count = network.num_routers, self.groups
        lists = [tuple(first + one for one in group) for group in terminals_of(self.members, network)]
        if count != 1 and len(lists) > 1:
            raise UnknotError(f"--groups {count}: --members names {len(lists)} groups already; give one of the two")
        if count < 1 or len(lists[0]) % count:
            raise UnknotError(f"--groups {count}: {len(lists[0])} members cannot be cut into {count} equal groups")
        if count > 1:
            each = len(lists[0]) // count
            lists = [lists[0][i : i + each] for i in range(0, len(lists[0]), each)]
        rooted = self.operation in ROOTED or self.root is not None
        most = most_of(rows)
        return Operation(
            self.operation, tuple(member for one in lists for member in one),
            root=first + network.terminal(self.root or 0) if rooted else None,
            groups=tuple(lists) if len(lists) > 1 else (),
            blocks=tuple(tuple(Fraction(flits, most) for flits in row) for row in rows),
        )  # fmt: skip


def sizes_of(options: CollectiveOptions, units: Units | None) -> tuple[list[int], list[list[int]]]:
    """Return the sizes in flits, and the blocks of a file, if one is named."""
    from unknot._base.units import flits_of

    size = options.size or ("1" if options.operation == "barrier" else "64")
    rows = rows_of(Path(size), units) if Path(size).suffix in (".csv", ".json") else []
    return [most_of(rows)] if rows else [flits_of(one, units) for one in Piece(size, "<size>").split(",")], rows
