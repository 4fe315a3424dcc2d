"""`unknot faults`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn

import typer

from unknot._base.errors import UnknotError
from unknot._base.switching import DEFAULT_SWITCHING
from unknot._base.three_valued import all_hold
from unknot.cli.commands.options import SEED, EvidenceDocument, Json, NetworkText, Seed, SwitchingName, Vcs
from unknot.cli.commands.outcomes import notify
from unknot.cli.commands.printing import show_json
from unknot.cli.commands.shared import exit_code, write_evidence

if TYPE_CHECKING:
    from rich.text import Text

    from unknot.certificates.documents import Document
    from unknot.lanes import Lanes
    from unknot.network import Network
    from unknot.repair import RepairedFault
    from unknot.verify.fault_sweep import FaultSweep, FaultVerdict


def faults(
    network: NetworkText,
    routing: str | None = None,
    tables: Path | None = None,
    vcs: Vcs = None,
    switching: SwitchingName = DEFAULT_SWITCHING,
    kind: Literal["links", "channels", "routers"] = "links",
    at_once: int = 1,
    budget: int | None = None,
    seed: Seed = SEED,
    proof_limit: float = 10.0,
    repair: bool = False,
    show: int = 10,
    evidence: EvidenceDocument = None,
    json: Json = False,
    csv: Annotated[
        Path | None,
        typer.Option(
            "--csv", metavar="FILE", help="Of a fabric: each pair that the faults shown cut off.", dir_okay=False
        ),
    ] = None,
) -> None:
    """Let every link, channel or router fail and judge the routing on what is left.

    The routing is rebuilt for each fault, as its algorithm takes the network that remains. With --repair its routes
    are put into lanes, and for every single fault those that are cut get other routes in the same lanes; --routing
    lanes takes shortest paths in the fewest lanes.

    NETWORK may be a fabric with forwarding tables, without --routing: then the tables stay as they are, and the pairs
    of hosts that lose their route are counted, for each cable (links), direction of one, or switch.

    Exit code 0: deadlock-free and delivering after every fault that leaves the network connected; of a fabric: no
    pair of surviving hosts is cut off. 1: not so; 3: undecided for some. --evidence writes the verdict after each
    fault that left a routing, or on each repair; of a fabric, the tables and how many pairs each fault cuts off.

    Parameters
    ----------
    routing : NAME
        A routing; by default a fabric's tables, as they are.
    tables : FILE
        Forwarding tables of a fabric, where they are not beside it.
    kind
        What fails.
    at_once
        How many fail at once.
    budget
        Most sets of failed parts to try; of more, a random sample of this size. By default 1000, and all single
        faults of a fabric.
    proof_limit
        Seconds for the proof of each fault.
    repair
        Keep routes as far as possible: lanes and changes for single faults.
    show
        How many of the worst faults to name.
    """
    if routing is None:
        if repair or vcs is not None:
            raise UnknotError(
                "faults: --repair and --vcs are of a --routing; the tables of a fabric stay as they are"
            )
        from unknot.cli.commands.table_faults import table_faults

        code = table_faults(
            network, tables, kind=kind, at_once=at_once, budget=budget, seed=seed, show=show, json=json, csv=csv,
            evidence=evidence,
        )  # fmt: skip
        raise typer.Exit(code)
    if tables is not None or csv is not None:
        raise UnknotError("faults: --tables and --csv are for a fabric as its tables route it, without --routing")
    from unknot.cli.commands import activity
    from unknot.studies import design
    from unknot.verify.fault_sweep import fault_sweep

    built = design.network(network, where="NETWORK")
    design.require_connected(built)
    design.routing_named(routing, "--routing")
    kept = None if evidence is None else _Kept(evidence, kind)
    if repair:
        if at_once != 1:
            raise UnknotError("faults: --repair is for single faults")
        _repair(built, routing, vcs, kind, seed, show, kept, json)
    sets = 1000 if budget is None else budget
    with activity.working("faults", tenths=True) as progress:
        sweep = fault_sweep(
            built, routing, switching, vcs=vcs, kind=kind, faults=at_once, budget=sets, seed=seed,
            time_limit=proof_limit, progress=progress, on_verdict=kept,
        )  # fmt: skip
    if kept is not None:
        kept.write(built, len(sweep.tried))
    if json:
        from unknot.cli.answers.analyses import FaultsAnswer
        from unknot.cli.answers.form import answer

        show_json(answer(FaultsAnswer, sweep))
    else:
        _show(sweep, show)
    raise typer.Exit(exit_code(sweep.survives))


class _Kept:
    """The evidence of the verdicts after faults, until the tables in it are too large."""

    def __init__(self, path: Path, kind: str) -> None:
        self.path, self.kind, self.states = path, kind, 0
        self.parts: list[Document] = []

    def __call__(self, after: FaultVerdict) -> None:
        """Keep a verdict."""
        from unknot.certificates.documents import MOST_STATES, answer_claims, part_of

        relation, numbers = after.relation, list(after.numbers)
        if self.states > MOST_STATES:
            return
        claims = answer_claims(relation, [after.verdict], after.delivery)
        if claims:
            routers, channels = (numbers, []) if self.kind == "routers" else ([], numbers)
            failed = {"channels": channels, "routers": routers}
            self.parts.append(part_of(", ".join(after.parts), relation, claims, failed))
            self.states += sum(map(len, self.parts[-1]["relation"]["states"]))

    def write(self, network: Network, tried: int) -> None:
        """Write what was kept, as parts of a document about the network without faults."""
        write_evidence(self.path, network, None, [], self.parts)
        notify(f"it holds the verdicts after {len(self.parts)} of {tried} sets of faults")


def _repair(
    network: Network,
    routing: str,
    vcs: int | None,
    kind: str,
    seed: int,
    show: int,
    kept: _Kept | None,
    json: bool,
) -> NoReturn:
    from unknot.cli.commands import activity
    from unknot.lanes import lanes
    from unknot.repair import repaired_faults
    from unknot.studies import design

    relation = None if routing == "lanes" else design.routing(network, routing, vcs, where="--routing")
    routes = lanes(network, "free" if relation is None else "given", routing=relation, seed=seed)
    with activity.working("faults", tenths=True) as progress:
        faults = repaired_faults(routes, kind, progress=progress, on_verdict=kept)
    if kept is not None:
        kept.write(network, len(faults))
    left = [fault for fault in faults if fault.connected]
    safe = all_hold(fault.safe for fault in left)
    if json:
        from unknot.cli.answers.form import answer
        from unknot.cli.answers.lanes import RepairedFaultsAnswer

        more = {"kind": kind, "lanes": routes.count, "safe": safe, "faults": faults}
        show_json(answer(RepairedFaultsAnswer, of=routes.relation, **more))
    else:
        _show_repaired(routes, faults, "shortest paths" if relation is None else relation.name, kind, safe, show)
    raise typer.Exit(exit_code(safe))


def _show_repaired(
    routes: Lanes, faults: tuple[RepairedFault, ...], routing: str, kind: str, safe: bool | None, show: int
) -> None:
    from unknot.cli.commands import display

    left = [fault for fault in faults if fault.connected]
    rows: list[tuple[str, str | Text]] = [
        ("network", routes.relation.network.name),
        ("routing", routing),
        ("lanes", str(routes.count)),
        ("faults", f"{len(faults)} single {kind}; {len(faults) - len(left)} cut the network in two"),
        ("lanes after them", f"{max((fault.lanes for fault in left), default=routes.count)} at most"),
        ("changed pairs", _spread([fault.changed for fault in left])),
        ("changed entries", _spread([fault.entries for fault in left])),
        ("deadlock-free and delivering", display.answer(safe)),
    ]
    display.print_rows(rows)
    worst = sorted(left, key=lambda fault: (-fault.lanes, -fault.changed))[:show]
    display.print_table(
        ("worst faults", "lanes", "changed pairs", "changed entries", "longer paths"),
        [(f.part, str(f.lanes), f"{f.changed} of {f.pairs}", str(f.entries), str(f.longer)) for f in worst],
    )


def _spread(numbers: list[int]) -> str:
    return f"{sum(numbers) / max(1, len(numbers)):.1f} in the mean, {max(numbers, default=0)} at most"


def _show(sweep: FaultSweep, show: int) -> None:
    from unknot.cli.commands import display
    from unknot.report.phrases import sets_tried

    rows: list[tuple[str, str | Text]] = [
        ("network", sweep.network),
        ("routing", sweep.routing),
        ("switching", sweep.switching),
        ("faults", sets_tried(len(sweep.tried), sweep.possible, sweep.faults, sweep.kind)),
        *((outcome, str(count)) for outcome, count in sweep.counts.items()),
        ("survives", display.answer(sweep.survives)),
    ]
    display.print_rows(rows)
    lines = []
    for fault in [fault for fault in sweep.tried if fault.outcome != "holds"][:show]:
        lost = f"{fault.undelivered_pairs} of {fault.pairs} pairs" if fault.undelivered_pairs else ""
        lines.append((", ".join(fault.parts), fault.outcome, lost, fault.why))
    display.print_table(("worst faults", "outcome", "not delivered", "why"), lines)
