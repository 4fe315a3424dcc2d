"""`unknot repair`."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from unknot._base.deadline import Deadline
from unknot._base.errors import UnknotError
from unknot._base.switching import DEFAULT_SWITCHING, Switching
from unknot.cli.commands.asking import FOLDER, taken
from unknot.cli.commands.guard import keeping_the_best
from unknot.cli.commands.options import (
    MINUTE,
    SEED,
    Json,
    NetworkText,
    Options,
    Seed,
    TimeLimit,
)
from unknot.cli.commands.printing import notify, wrote
from unknot.cli.commands.shared import exit_code, relation_of
from unknot.cli.commands.written import write_evidence

if TYPE_CHECKING:
    from unknot.cli.answers.filling import Answer
    from unknot.routing.relation import Relation
    from unknot.verify.examination import Examination

BEFORE, REMEDIES = 0.15, 5
"""Most of the time for the verdict on the routing as it is; how many remedies are judged anew, at most."""


@dataclass(frozen=True)
class RepairOptions(Options):
    """What is repaired, within which bounds, and where the answer goes.

    Attributes
    ----------
    routing : NAME
        Routing; by default a fabric's tables.
    lanes
        Number of lanes for the remedy with few changes; by default the number of VCs.
    minimal
        Keep an adaptive routing to shortest paths.
    lmc
        LMC of a fabric, with --out DIR: all LIDs are assigned anew, 2^LMC for each host port, each with its own
        route.
    export : FILE.json
        File of the routes of each remedy, whose kind is added to the name, as --routing takes it.
    out : DIR
        of a fabric, a folder of what OpenSM or SONiC loads
    assume
        Assumption about a fabric whose files show adaptive routing: static judges the tables alone.
    """

    network: NetworkText
    routing: str | None = None
    vcs: int | None = None
    switching: Switching = DEFAULT_SWITCHING
    lanes: int | None = None
    minimal: bool = False
    lmc: int | None = None
    deadline: TimeLimit = MINUTE
    both_ways: bool | None = None
    seed: Seed = SEED
    export: Path | None = None
    evidence: Path | None = None
    assume: Literal["static"] | None = None
    json: Json = False


def repair(options: RepairOptions) -> int:
    """Find remedies for a routing that can deadlock, and show the cost of each remedy.

    Tables get as remedies their routes in as few virtual lanes as possible, few changed routes or entries in the
    present lanes, new tables, and new routes. Adaptive routings get few removed candidates, escape VCs, and new
    routes. NETWORK may be a fabric with forwarding tables. The command proves each remedy anew.

    A folder with routes of Ethernet switches gets the fewest lossless queues for the routes, with proof that fewer
    are impossible (--evidence), and the rules by which switches change tags. --out DIR writes the rules as QoS maps
    of SONiC, reads the maps back and judges them; rules.txt has the entries of the switches' TCAMs.

    Adaptive switches of a fabric get service levels in the fewest lanes, or lose the fewest ports of their groups.

    --export writes the routes of each remedy, which --routing takes in any command; for a fabric --out DIR
    writes the remedies that OpenSM can load, and explains the loading. --evidence writes the verdict on the
    routing, the proofs that cheaper remedies are impossible, and the verdict on each remedy.

    For a fabric that cannot deadlock the command writes nothing. When time runs out, --out DIR has the finished
    remedies, and each remedy says whether its search was complete.

    Exit code 0: every remedy is proved safe; 3: a verdict is open, or no remedy was finished in time.

    Examples
    --------
    >>> import unknot
    >>> answer = unknot.repair("ring(5)", "shortest_paths")
    >>> [(one.kind, one.cost, one.unit) for one in answer.remedies[:2]]
    [('same routes', 2, 'lanes'), ('few changed routes', 2, 'pairs')]
    """
    from unknot.cli.commands import activity
    from unknot.fabrics.ethernet.folder import is_ethernet

    network, routing, export = options.network, options.routing, options.export
    if routing is None and is_ethernet(Path(network)):
        others = (
            options.vcs,
            options.lanes,
            options.minimal,
            options.lmc,
            options.both_ways is not None,
            options.assume,
            export,
        )
        if any(others) or options.switching != DEFAULT_SWITCHING:
            raise UnknotError(
                f"{network}: a repair of Ethernet takes --out, --evidence, --time-limit and --json alone"
            )
        return _repair_switches(options)
    if export is not None and export.suffix.lower() != ".json":
        raise UnknotError(
            f"{export}: routes of remedies are written as .json, such as {export.with_suffix('.json')}; "
            "`unknot curve` draws their latencies"
        )
    folder = _folder()
    if folder is not None and routing is not None:
        raise UnknotError(f"{folder}: a folder is for the tables of a fabric; --export writes routes of remedies")
    if folder is not None:
        if export is not None:
            raise UnknotError(
                "repair: --export writes routes of remedies, and --out DIR tables of a fabric; name one"
            )
        from unknot.cli.commands.repair_fabric import repair_fabric
        from unknot.fabrics import read_fabric
        from unknot.remedies.fabric_remedies import FabricSearch

        with activity.working("looking for remedies") as progress:
            search = FabricSearch(
                options.deadline, options.seed, options.both_ways is not False, progress, options.lmc
            )
            fabric = read_fabric(network, assume=options.assume)
            return repair_fabric(fabric, folder, search, options.evidence, json=options.json)
    if options.lmc is not None:
        raise UnknotError("repair: --lmc is for --out DIR, files of a fabric for OpenSM")
    return _repair_routing(options)


def _folder() -> Path | None:
    """The folder of the answer, which the command writes."""
    folders = taken(FOLDER)
    if folders[1:]:
        raise UnknotError(f"{folders[1]}: --out takes one folder, and {folders[0]} is one")
    return folders[0] if folders else None


def _repair_routing(options: RepairOptions) -> int:
    """Find remedies for a routing, or the tables of a fabric, and prove them; return the exit code."""
    from unknot.certificates.documents import part_of
    from unknot.cli.answers.filling import answer
    from unknot.cli.answers.lanes import RemedyForm, RepairAnswer
    from unknot.cli.commands import activity
    from unknot.cli.commands.console import sentences
    from unknot.cli.commands.display import tell
    from unknot.cli.commands.shared import proved, searching
    from unknot.remedies import repair as find_remedies
    from unknot.report.export import export

    switching, to, deadline = options.switching, options.export, options.deadline
    relation, causes = _refuted(options)
    search_until = searching(relation.network, deadline, times=REMEDIES)
    both_ways = relation.network.ports is not None if options.both_ways is None else options.both_ways
    with keeping_the_best(), activity.working("looking for remedies") as progress:
        proof_before = proved(relation, deadline.part(BEFORE), switching)
        before = state_of(relation, proof_before, deadline.part(BEFORE))
        search = options.some("lanes", "switching", "minimal", "seed") | {"both_ways": both_ways}
        is_safe = options.routing is None and not causes and proof_before.safe is True
        found = None if is_safe else find_remedies(relation, time_limit=search_until, progress=progress, **search)
        remedies = [] if found is None else [*found]
        proofs = [None if one.cost is None else proved(one.relation, deadline, switching) for one in remedies]
        after = [
            None if proof is None else state_of(one.relation, proof, deadline)
            for one, proof in zip(remedies, proofs, strict=True)
        ]
    if is_safe:
        notify(f"{relation.name} deliver every pair and cannot deadlock, so no remedy was sought and no file written")
    for cause in causes:
        notify(f"open, whatever is proved of these routes: {cause}")
    if search_until.over:
        more = f"with more than {deadline.seconds:g} s there may be more or better remedies"
        notify(f"the time for the search was over: {more}")
    if options.evidence is not None:
        parts = [
            part_of(remedy.kind, remedy.relation, claims)
            for remedy, proof in zip(remedies, proofs, strict=True)
            if proof is not None and (claims := proof.claims())
        ]
        bounds = [claim for remedy in remedies for claim in remedy.bound_claims]
        write_evidence(options.evidence, relation, [*proof_before.claims(), *bounds], parts)
    rows = [answer(RemedyForm, remedy, after=state) for remedy, state in zip(remedies, after, strict=True)]
    tell(options.json, RepairAnswer, of=relation, switching=switching, before=before, remedies=rows)
    if not options.json:
        nowhere = "whatever is removed, it is not safe and connected"
        sentences(f"{remedy.kind}: {nowhere}" for remedy in remedies if remedy.cost is None)
    for remedy in remedies:
        if to is not None and remedy.cost is not None:
            file = to.with_stem(f"{to.stem}-{remedy.kind.replace(' ', '-')}")
            export(remedy.relation, file)
            wrote(file)
    return exit_code(*(proof.safe for proof in proofs if proof is not None), None if causes else True)


def state_of(relation: Relation, proof: Examination, deadline: Deadline) -> Answer:
    """What is known of a routing at a deadline, in the keys of `StateForm`; unknown values are None."""
    from unknot._base.errors import RelationError
    from unknot.cli.answers.filling import answer
    from unknot.cli.answers.lanes import StateForm
    from unknot.verify import loads

    try:
        load = deadline.closing.closing.unless_over(lambda: loads(relation))
    except RelationError:
        load = None
    terminals = relation.network.num_terminals
    hops = load and load.mean_hops * terminals / max(1, terminals - 1)
    highest = load and load.highest * terminals
    return answer(StateForm, proof, widest_vcs=relation.vcs.widest, highest_load=highest, mean_hops=hops)


def _refuted(options: RepairOptions) -> tuple[Relation, tuple[str, ...]]:
    """The routing, or that of the tables of a fabric, and why these do not tell all routes."""
    network = options.network
    if options.routing is not None:
        if options.assume is not None:
            raise UnknotError("repair: --assume is of the tables of a fabric, without --routing")
        return relation_of(network, options.routing, options.vcs), ()
    from unknot import fabrics
    from unknot.routing.fabric_relation import fabric_relation
    from unknot.verify.audit_findings import open_tables

    if options.vcs is not None:
        raise UnknotError("repair: --vcs is of a --routing; the tables of a fabric have the lanes they have")
    if not Path(network).is_dir():
        raise UnknotError(f"{network}: name a --routing, or a folder of a fabric with forwarding tables")
    fabric = fabrics.read_fabric(Path(network), assume=options.assume)
    return fabric_relation(fabric), open_tables(fabric)


def _repair_switches(options: RepairOptions) -> int:
    """Find the fewest lossless queues for a folder of what switches printed; return the exit code.

    The folder of --out appears when all is written.
    """
    from unknot._base.output import write_text, written_folder
    from unknot.cli.answers.ethernet import RepairEthernetAnswer
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import tell
    from unknot.fabrics.ethernet.folder import read_ethernet
    from unknot.remedies.lossless import repair_lossless
    from unknot.report.repair_pages import PAGE, ethernet_repair_page

    out = _folder()
    if out is not None and out.exists():
        raise UnknotError(f"{out} exists; name a new folder")
    fabric = read_ethernet(Path(options.network)).one_vrf
    with activity.working("looking for the fewest queues"), ExitStack() as writing:
        made = None if out is None else writing.enter_context(written_folder(out))
        repaired = repair_lossless(fabric, made, time_limit=options.deadline)
        if made is not None:
            write_text(made / PAGE, ethernet_repair_page(repaired))
    claim = repaired.queues.claim
    if options.evidence is not None:
        write_evidence(options.evidence, fabric.network, [] if claim is None else [claim])
    tell(options.json, RepairEthernetAnswer, repaired)
    if out is not None:
        wrote(out, f"; how to load it: {out / PAGE}")
    return exit_code(repaired.holds)
