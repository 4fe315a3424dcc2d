"""Functions shared by several commands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from unknot._base.switching import BUFFER_DEPTH, DEFAULT_SWITCHING, Switching
from unknot._base.three_valued import all_hold
from unknot.cli.commands.flows import technique_alone
from unknot.cli.commands.guard import SPARED
from unknot.cli.commands.options import MINUTE, NetworkText, Options, TimeLimit
from unknot.cli.commands.printing import notify
from unknot.cli.exit_codes import FAILS, HOLDS, INTERRUPTED, UNDECIDED

if TYPE_CHECKING:
    from unknot._base.deadline import Deadline
    from unknot.network import Network
    from unknot.routing.relation import Relation
    from unknot.traffic import Pattern
    from unknot.verify.examination import Examination


def relation_of(
    network: str,
    routing: str,
    vcs: int | None,
    named_in: Path | None = None,
    *,
    simulated: bool = False,
    flows: Path | None = None,
    proved: bool = False,
    where: str = "--routing",
) -> Relation:
    """The relation of texts, for some flows alone; those found in a file may name files of its folder alone.

    With `proved` a network is refused at once that is too large to follow its states.
    """
    from unknot.cli.commands import activity
    from unknot.fabrics.named import network as network_named
    from unknot.routing.named import require_connected, routing_to_simulate
    from unknot.routing.named import routing as routing_from

    if named_in is None:
        built = network_named(network, where="NETWORK")
        routing, _ = stated(network, routing)
    else:
        built = network_named(network, where=f"{named_in}: network", folder=named_in.parent, confined=True)
    make = routing_to_simulate if simulated else routing_from
    with activity.working(f"building {routing}"):
        if proved:
            from unknot.verify.explorer import require_candidates

            require_candidates(built, vcs or 1, routing)
        if flows is None:
            matrix = None
            require_connected(built)
        else:
            from unknot.lane_assignment.flows import only, read_flows

            matrix = read_flows(flows, built)
        made = make(built, routing, vcs, flows=matrix, where=where)
    return made if matrix is None else only(made, matrix)


def stated(network: str, routing: str) -> tuple[str, tuple[str, ...]]:
    """Complete a routing by a folder of Ethernet switches; return the text, and unread content of the folder."""
    if not Path(network).is_dir():
        return routing, ()
    from unknot.fabrics.ethernet.folder import is_ethernet, read_ethernet
    from unknot.verify.as_plans import stated_routing

    known = stated_routing(read_ethernet(network).one_vrf, routing) if is_ethernet(Path(network)) else None
    return (routing, ()) if known is None else (known.texts[0], known.unread)


@dataclass(frozen=True)
class RoutedNetwork(Options):
    """A routing on a network, under a switching technique."""

    heading = "Routing and technique"
    network: NetworkText
    routing: str
    vcs: int | None = None
    switching: str = DEFAULT_SWITCHING
    deadline: TimeLimit = MINUTE
    flows: Path | None = None

    def technique(self, option: str) -> Switching:
        """The technique, where an option has no answer under a flow control of the relation."""
        return technique_alone(self.switching, option)

    def relation(self, routing: str | None = None, where: str = "--routing") -> Relation:
        """The relation of the routing, or of another one on the same network that an option names."""
        return relation_of(
            self.network, routing or self.routing, self.vcs, flows=self.flows, proved=True, where=where
        )


@dataclass(frozen=True)
class BufferedNetwork(RoutedNetwork):
    """A routing on a network whose buffers have a depth.

    Attributes
    ----------
    switching : NAME
        Switching technique: saf, vct, wormhole or wormhole-nonatomic; or a flow control: "damq(reserved=1)",
        'FILE.py:FUNCTION(options)'.
    """

    buffer_depth: int = BUFFER_DEPTH


def numbers_of(text: str, where: str) -> list[int]:
    """The numbers of terminals with commas between them."""
    from unknot._base.calls import Piece

    pieces = list(Piece(text, where).split(","))
    for piece in pieces:
        if not piece.text.isdecimal():
            raise piece.error("expected numbers of terminals with commas between them")
    return [int(piece.text) for piece in pieces]


def flows_in(file: Path, network: Network) -> Pattern:
    """The flows of a file as traffic."""
    from unknot.lane_assignment.flows import read_flows
    from unknot.traffic.pattern import weighted

    return weighted(network, file.name, read_flows(file, network))


def routing_in(file: Path, routing: str, *, outside_files: bool) -> str:
    """The text of a routing found in a file; Python code is refused: who gives the file would have it run."""
    from unknot._base.errors import UnknotError
    from unknot.routing.own import is_code, rooted

    if is_code(routing):
        raise UnknotError(f"{file}: its routing {routing!r} is Python code, which is not run; name it with --routing")
    return rooted(routing, file.parent, confined=not outside_files)


def exit_code(*answers: bool | None) -> int:
    """Exit code: 0 if all answers are yes, 1 after a no, 3 while some are open, 130 while Ctrl-C left some open."""
    return {True: HOLDS, False: FAILS, None: left_open()}[all_hold(answers)]


def left_open() -> int:
    """Exit code of an answer that is open."""
    return INTERRUPTED if SPARED.is_set() else UNDECIDED


def if_read(holds: bool | None, unread: tuple[str, ...]) -> bool | None:
    """An answer, open where it is yes and not all was read."""
    if unread:
        notify(f"these were not read, so Unknot calls nothing safe: {'; '.join(unread)}")
    return None if unread and holds else holds


def is_path(text: str, folder: Path = Path()) -> bool:
    """Whether a text names a file or folder that is there."""
    try:
        return bool(text.strip()) and (folder / text.strip()).exists()
    except (OSError, ValueError):
        return False


def kept(store: Path | None) -> str:
    """Where finished points of a study are, in words."""
    return (
        f"kept in {store}: give the same command again to go on from there" if store else "not kept without --store"
    )


@contextmanager
def kept_in(store: Path | None) -> Iterator[None]:
    """Say where the finished points of a study are when it is interrupted."""
    try:
        yield
    except KeyboardInterrupt:
        notify(f"interrupted; finished points are {kept(store)}")
        raise typer.Exit(INTERRUPTED) from None


EACH, PER_STATE = 0.5, 2e-6
"""Seconds that are kept to prove what a search finds: for each proof, and for each channel and destination router."""
LAST = 0.5
"""Seconds for that after Ctrl-C."""
LEAST_SHARE, SHARE = 0.2, 0.35
"""Least and most of the time that is kept for that: a busy machine may take many times as long."""


def searching(network: Network, deadline: Deadline, times: int = 1) -> Deadline:
    """The deadline of a search that leaves time for `times` proofs of the result."""
    from unknot._base.work import work_done

    if work_done() is not None:
        return deadline  # the proof has a count of its own
    states = network.num_channels * min(network.num_routers, network.num_terminals)
    proving = max(LEAST_SHARE * deadline.left, times * (EACH + PER_STATE * states))
    return replace(deadline, end=deadline.end - min(SHARE * deadline.left, proving))


def proved(relation: Relation, deadline: Deadline, switching: Switching = DEFAULT_SWITCHING) -> Examination:
    """Decide on a relation until a deadline, or soon after Ctrl-C; what is not known then is open."""
    from unknot._base.deadline import Deadline
    from unknot._base.work import measuring_time
    from unknot.verify.examination import examine

    if SPARED.is_set():
        with measuring_time():
            last = Deadline.after(LAST)
            return examine(relation, switching, deadline=last, ending=last)
    return examine(relation, switching, deadline=deadline.proving)
