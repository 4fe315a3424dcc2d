"""`unknot faults`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from unknot._base.errors import UnknotError
from unknot._base.switching import DEFAULT_SWITCHING, Switching
from unknot._base.three_valued import all_hold
from unknot.cli.commands.faults_evidence import KeptEvidence
from unknot.cli.commands.faults_managed import of_opensm
from unknot.cli.commands.faults_plans import compare_routes, of_plans
from unknot.cli.commands.faults_tables import of_tables
from unknot.cli.commands.options import SEED, Json, MostTime, NetworkText, Options, Seed
from unknot.cli.commands.printing import notify
from unknot.cli.commands.shared import exit_code, if_read
from unknot.cli.commands.written import draw, write_evidence

if TYPE_CHECKING:
    from unknot.network import Network
    from unknot.report.scene import Scene
    from unknot.routing.relation import Relation
    from unknot.verify.as_plans import FabricRouting
    from unknot.verify.failures import Failures, Part, Tried
    from unknot.verify.fault_sweep import FaultSweep

    Anew = str | Callable[[Network], Relation]


def faults(options: FaultOptions) -> int:
    """Check a routing after the failure of each link, channel or router.

    For each fault the command rebuilds the routing on the remaining network. With --repair the command puts the
    routes into lanes, and gives routes cut by a single fault other paths in these lanes; --routing lanes takes
    shortest paths in the fewest lanes. For bgp and ospf, --repair finds the fewest lossless queues for the routes
    after all sets of at most --at-once failures together, with proof.

    NETWORK may be a fabric with forwarding tables, without --routing. Then the tables stay as they are, and the
    answer counts the pairs of hosts that lose their route, for each cable, direction of a cable, or switch. The
    routes of a folder of Ethernet switches stay, without failed next hops; with --routing bgp or ospf the
    command computes routes anew, and compares them with the routes in the folder. If the folder tells no AS plan,
    the command judges each plan with a name.

    With --opensm the real subnet manager gives new tables after each fault: OpenSM, on a fabric that ibsim simulates.
    The command judges the new tables, and the states while switches change from the old tables to the new ones.

    Exit code 0: the routing is deadlock-free and delivers after every fault that leaves the network connected; or
    the fabric cuts off no pair of surviving hosts. 1: a fault breaks the routing; 3: the answer after some fault is
    undecided. --evidence writes the verdict after each fault, or on each repair; for a fabric, the tables and how
    many pairs each fault cuts off.

    Examples
    --------
    >>> import unknot
    >>> answer = unknot.faults("torus(3, 3)", routing="up_down")
    >>> answer.survives, len(answer.tried), answer.counts
    (True, 18, {'holds': 18})
    """
    routing, repair = options.routing, options.repair
    if options.opensm is not None:
        return exit_code(of_opensm(options))
    if routing is None:
        if repair or options.fewer or options.between or options.vcs is not None:
            raise UnknotError(
                "faults: --repair, --fewer, --between and --vcs are of a --routing; a fabric's tables stay"
            )
        return exit_code(of_tables(options))
    if any(options.some("tables", "pairs", "assume").values()):
        raise UnknotError(
            "faults: --tables, --pairs and --assume are for a fabric as its tables route it, without --routing"
        )
    from unknot.fabrics.ethernet.folder import is_ethernet, read_ethernet
    from unknot.fabrics.named import network as network_named
    from unknot.routing.named import require_connected, routing_named
    from unknot.routing.named import routing as routing_from
    from unknot.verify.as_plans import FabricRouting, fabric_routing

    built = network_named(options.network, where="NETWORK")
    require_connected(built)
    routing_named(routing, "--routing")
    known = FabricRouting((routing,))
    if is_ethernet(Path(options.network)):
        fabric = read_ethernet(options.network).one_vrf
        known = fabric_routing(fabric, routing)
        if len(known.texts) > 1:
            return exit_code(of_plans(options, fabric, known))
        routing = known.texts[0]
        same, compared = compare_routes(fabric, routing)
        known = known.compared(same, compared)
    to_repair = repair and routing != "lanes"
    whole = routing_from(built, routing, options.vcs, where="--routing") if to_repair else None
    if whole is not None and whole.commits and whole.vcs.widest == 1:
        return exit_code(if_read(options.queued(built, routing), known.unread))
    if repair and (options.at_once != 1 or options.fewer):
        raise UnknotError("faults: --repair is for single faults")
    if options.beforehand and not (repair and routing == "lanes"):
        raise UnknotError("faults: --beforehand is for --repair with --routing lanes")
    if repair:
        return exit_code(if_read(options.repaired(built, routing), known.unread))
    return exit_code(options.rerouted(built, routing, known))


@dataclass(frozen=True)
class FaultOptions(Options):
    """What fails, and what is printed and written; a method for each way to go on after a fault.

    The methods return whether everything holds after every fault; None: that is open.

    Attributes
    ----------
    routing : NAME
        Routing; by default a fabric's tables, unchanged.
    tables : FILE
        Forwarding tables of a fabric from another folder.
    kind
        Kind of failing parts; links: all cables between two routers together, cables: each cable alone, any: links
        and routers.
    at_once
        Number of parts that fail at once.
    fewer
        Judge sets of fewer parts too.
    between
        Also check, for bgp and ospf, the states while routers learn of the failures.
    budget
        Most sets of failed parts of each size to try; of more sets a random sample. For bgp and ospf one set stands
        for its symmetric sets, and one row for a group of sets with one outcome. By default 1000
        sets; for a fabric, all single faults too.
    proof_limit
        Seconds for the proof of each fault.
    repair
        Keep as many routes as possible after each single fault, in the lanes of the routing.
    within : LANES
        Most lanes of repairs, with --repair; more routes change if other orders are needed.
    beforehand
        With --repair and --routing lanes, take lanes that leave every pair a path after each single fault.
    show
        Number of the worst faults to name.
    pairs : --pairs FILE.csv
        File of the pairs that the shown faults of a fabric cut off.
    opensm : PATH-AND-OPTIONS
        OpenSM, which routes the fabric after each fault; options in the same text: '/usr/sbin/opensm -R updn'.
    assume
        Assumption about a fabric whose files show adaptive routing: static judges the tables alone.
    out : html
        .html switches failures on and off; not with --repair
    """

    network: NetworkText
    routing: str | None = None
    tables: Path | None = None
    vcs: int | None = None
    switching: Switching = DEFAULT_SWITCHING
    kind: Literal["links", "cables", "channels", "routers", "any"] = "links"
    at_once: int = 1
    fewer: bool = False
    between: bool = False
    budget: int | None = None
    seed: Seed = SEED
    proof_limit: float = 10.0
    deadline: MostTime = None
    repair: bool = False
    within: int | None = None
    beforehand: bool = False
    show: int = 10
    evidence: Path | None = None
    json: Json = False
    pairs: Path | None = None
    opensm: str | None = None
    assume: Literal["static"] | None = None

    @property
    def failures(self) -> Failures:
        """What fails."""
        from unknot.verify.failures import Failures

        return Failures(self.kind, self.at_once, self.fewer, self.budget, self.seed)

    def rerouted(self, network: Network, routing: Anew, known: FabricRouting) -> bool | None:
        """Rebuild the routing on the remaining network by its algorithm, and print the outcome."""
        from unknot.cli.answers.analyses import FaultsAnswer
        from unknot.cli.commands.display import tell
        from unknot.verify.failures import parts_of

        sweep = self.sweep(network, routing, known)
        self.show_failures(network, sweep, parts_of(network, self.kind), sweep.routing)
        tell(self.json, FaultsAnswer, sweep, max_rows=self.show)
        return sweep.survives

    def show_failures(self, network: Network, tried: Tried, parts: Iterable[Part], asked: str) -> None:
        """Leave the page of the failures to files of the answer."""

        def scene() -> Scene:
            from unknot.report.scenes import faults_scene

            return faults_scene(network, self.kind, tried, parts, asked)

        draw(None, scene)

    def sweep(self, network: Network, routing: Anew, known: FabricRouting) -> FaultSweep:
        """Rebuild the routing after each fault."""
        from unknot._base.deadline import NEVER
        from unknot.cli.commands import activity
        from unknot.verify.fault_sweep import fault_sweep

        kept = None if self.evidence is None else KeptEvidence(self.evidence, self.kind, network)
        with activity.working("faults") as progress:
            sweep = fault_sweep(
                network, routing, self.switching, vcs=self.vcs, failures=self.failures, between=self.between,
                time_limit=self.proof_limit, until=self.deadline or NEVER, notice=notify, progress=progress,
                on_verdict=kept,
            )  # fmt: skip
        if sweep.cut_short and self.deadline is not None:
            tried, seconds = sum(fault.alike for fault in sweep.tried), self.deadline.seconds
            notify(
                f"after {seconds:g} s, the time limit, {tried:,} of {sweep.possible:,} sets of failures were tried"
            )
        if kept is not None:
            kept.write(len(sweep.tried), sweep.claims)
        named, never = known.texts[0] if known.of_folder else sweep.routing, sweep.never_deadlocks
        return replace(sweep, routing=named, unread=known.unread, never_deadlocks=None if known.unread else never)

    def repaired(self, network: Network, routing: str) -> bool | None:
        """Put the routes into lanes, and give routes cut by a failure other paths in the same lanes."""
        from unknot.cli.answers.lanes import FaultsRepairAnswer
        from unknot.cli.commands import activity
        from unknot.cli.commands.display import tell
        from unknot.lane_assignment import lanes
        from unknot.remedies import repaired_faults
        from unknot.routing.named import routing as routing_from

        kept = None if self.evidence is None else KeptEvidence(self.evidence, self.kind, network)
        relation = None if routing == "lanes" else routing_from(network, routing, self.vcs, where="--routing")
        survive = self.kind if self.beforehand else None
        routes = lanes(
            network, "free" if relation is None else "given", routing=relation, survive=survive, seed=self.seed
        )
        if not routes.complete:
            notify("the search for lanes ended early: another run may find others, and print other numbers")
        with activity.working("faults") as progress:
            faults = repaired_faults(routes, self.kind, within=self.within, progress=progress, on_verdict=kept)
        if kept is not None:
            kept.write(len(faults))
        safe = all_hold(fault.safe for fault in faults if fault.connected)
        keys: dict[str, Any] = {"kind": self.kind, "lanes": routes.count, "safe": safe, "faults": faults}
        tell(self.json, FaultsRepairAnswer, of=routes.relation, max_rows=self.show, **keys)
        return safe

    def queued(self, network: Network, routing: str) -> bool | None:
        """Find the fewest lossless queues for all routes after faults; whether every state is free in them."""
        from unknot.cli.answers.ethernet import FaultsQueuesAnswer
        from unknot.cli.commands import activity
        from unknot.cli.commands.display import tell
        from unknot.remedies.fault_queues import fault_queues
        from unknot.verify.failures import rerouting

        build = rerouting(network, routing)
        with activity.working("faults") as progress:
            after = fault_queues(network, build, self.failures, progress=progress)
        if self.evidence is not None:
            write_evidence(self.evidence, network, [one.claim for one in after.proved if one.claim is not None])
        tell(self.json, FaultsQueuesAnswer, after)
        return after.free
