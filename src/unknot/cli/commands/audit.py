"""`unknot audit`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unknot._base.switching import DEFAULT_SWITCHING
from unknot.cli.commands.options import MINUTE, EvidenceDocument, Json, SwitchingName, TimeLimit
from unknot.cli.commands.outcomes import notify
from unknot.cli.commands.printing import show_json
from unknot.cli.commands.shared import exit_code, limited, write_evidence

if TYPE_CHECKING:
    from unknot.certificates.documents import Document
    from unknot.cli.commands.display import Rows
    from unknot.fabrics import Changes
    from unknot.verify.audit import Audit
    from unknot.verify.audit_merged import Routes
    from unknot.verify.audit_multicast import MulticastAudit
    from unknot.verify.audit_traffic import TrafficAudit


def audit(
    fabric: Annotated[
        Path, typer.Argument(metavar="FOLDER|FABRIC_FILE", help="ibnetdiscover output or a link list.")
    ],
    tables: Path | None = None,
    sl: Path | None = None,
    sl2vl: Path | None = None,
    lanes: int | None = None,
    mcfdbs: Path | None = None,
    multicast_sl: int = 0,
    compare: Path | None = None,
    switching: SwitchingName = DEFAULT_SWITCHING,
    cables: Annotated[
        int,
        typer.Option(
            "--cables",
            help="Show the lengths of routes, and this number of cables: those with the most routes.",
            min=0,
        ),
    ] = 0,
    deadline: TimeLimit = MINUTE,
    out: Path | None = None,
    evidence: EvidenceDocument = None,
    json: Json = False,
) -> None:
    """Say whether the forwarding tables of a fabric can deadlock, and whether they deliver.

    In a folder, service levels, lanes, multicast tables and hop counts are found beside the forwarding tables.
    Multicast is judged together with the routes between hosts, since it shares their buffers. With service levels,
    a second verdict is about replies at the level of the request, as the accepting side of a connection sends them.

    Of dumps that are cut off or lack switches, what is there is judged: a deadlock in it is one, and otherwise the
    answer is open. --evidence has a part for each kind of traffic, with the network on which it was judged.

    Exit code 0: they cannot, and they deliver; 1: otherwise; 3: undecided in the time given, or by what is known.

    Parameters
    ----------
    tables : FILE
        Forwarding tables, as OpenSM dumps them.
    sl : FILE
        Service levels of the paths: .psl, or saquery -p.
    sl2vl : FILE
        SL to VL tables of the switches.
    lanes
        Lanes in use, without --sl2vl: the VL is the SL modulo this.
    mcfdbs : FILE
        Multicast tables, as OpenSM dumps them.
    multicast_sl
        Service level of multicast packets.
    compare : OLD
        An older folder or file; show what changed.
    out : FILE.html
        Write a report.
    """
    from unknot.cli.commands import activity
    from unknot.fabrics import compare_fabrics, read_fabric
    from unknot.verify.audit import audit as audit_fabric
    from unknot.verify.audit_merged import routes_between_hosts

    ending = deadline.closing.closing
    read = limited(deadline, lambda: read_fabric(fabric, tables, levels=sl, lanes=sl2vl, multicast=mcfdbs))
    with activity.working("auditing"):
        how = partial(audit_fabric, switching=switching, time_limit=deadline)
        audited = limited(ending, lambda: how(read, lanes=lanes, multicast_level=multicast_sl))
        routes = routes_between_hosts(read) if cables else None
        old = None if compare is None else read_fabric(compare)
        changes = None if old is None else compare_fabrics(old, read)
        before = None if old is None or old.tables is None else limited(ending, lambda: how(old))
    if out is not None:
        from unknot.report import write_audit_report

        write_audit_report(audited, out)
        notify(f"report: {out}")
    if evidence is not None:
        write_evidence(evidence, read.network, None, [], audit_parts(audited))
    if json:
        from unknot.cli.answers.studies import audit_answer

        show_json(audit_answer(audited, changes, before, routes and replace(routes, cables=routes.cables[:cables])))
    else:
        _show_audit(audited)
        if routes is not None:
            _show_routes(routes, cables)
        if changes is not None:
            _show_changes(changes, before, audited)
    raise typer.Exit(exit_code(audited.holds))


def audit_parts(audited: Audit, before: str = "") -> list[Document]:
    """What is settled of each kind of traffic, as parts of a document, their names `before` the kind.

    Where the files leave something open, a deadlock among what is known is shown, and nothing about delivery. Of
    multicast the trees themselves are not shown, but that packets along them, one for each end, are safe or not.
    """
    from unknot.certificates.documents import answer_claims, part_of

    claims = [
        (one.traffic, one.relation, answer_claims(
            one.relation, [one.verdict], None if one.unknown.unknown_because else one.delivery
        ))
        for one in audited.rows
    ]  # fmt: skip
    groups = audited.multicast
    if groups is not None and groups.deadlock_free == groups.verdict.deadlock_free:
        claims.append(("multicast", groups.relation, answer_claims(groups.relation, [groups.verdict], None)))
    return [part_of(before + kind, relation, some, of_its_own=True) for kind, relation, some in claims if some]


def _show_audit(audit: Audit) -> None:
    """Print the audit of a fabric and its tables."""
    from unknot.cli.commands.display import accepts, answer, print_rows, print_table, sentences

    fabric, first = audit.fabric, audit.host_to_host
    network = fabric.network
    rows: Rows = [
        ("fabric", f"{fabric.fabric_file}: {network.num_routers} switches, {network.num_terminals} host ports"),
        ("tables", fabric.tables_file),
        ("levels", fabric.levels_file),
        ("lanes", fabric.lanes_file),
        ("switching", audit.switching),
        *(("note", note) for note in fabric.notes),
        ("assumption", audit.assumption),
        ("established", first.verdict.established),
        ("evidence", f"the separate checker {accepts(first.certificate_holds)}"),
    ]
    print_rows(rows)
    lines = []
    for traffic in audit.rows:
        delivery = traffic.delivery
        open_pairs = traffic.unknown.unknown_pairs
        counts = {"not": delivery.undelivered_pairs, "unknown": open_pairs}
        lost = ", ".join(f"{number} {word}" for word, number in counts.items() if number)
        longest = "endless" if delivery.longest_route is None else f"{delivery.longest_route} hops"
        longer = f"{traffic.longer_pairs} pairs, by up to {traffic.extra_hops}" if traffic.longer_pairs else "none"
        free, delivers = answer(traffic.verdict.deadlock_free), answer(delivery.delivered)
        pairs = f"{delivery.pairs}" + (f" ({lost})" if lost else "")
        lines.append((traffic.traffic, free, delivers, pairs, longest, longer))
    print_table(("traffic", "deadlock-free", "delivers", "pairs", "longest route", "longer than shortest"), lines)
    for traffic in audit.rows:
        if not traffic.holds or traffic.traffic != "host-to-host":
            _show_traffic(traffic)
    if audit.multicast is not None:
        _show_multicast(audit.multicast, audit)
    for traffic in [first] if audit.replies is None or first.verdict.configuration else [audit.replies]:
        if traffic.verdict.configuration is not None:
            from unknot.report.configuration_text import describe

            print()
            sentences(describe(traffic.relation, traffic.verdict.configuration))


def _show_routes(routes: Routes, most: int) -> None:
    """Lengths of routes, and the cables with the most of them."""
    from unknot.cli.commands.display import print_rows, print_table

    lengths = ", ".join(f"{hops}: {number:,}" for hops, number in enumerate(routes.lengths) if number)
    print_rows([("routes by hops", lengths)])
    print_table(
        ("cable", "routes forth", "back", "pairs cut off if it fails"),
        [(cable.name, f"{cable.forth:,}", f"{cable.back:,}", f"{cable.routes:,}") for cable in routes.cables[:most]],
    )


def _show_changes(changes: Changes, before: Audit | None, after: Audit) -> None:
    """Print the changes since another reading of a fabric."""
    from unknot.cli.commands.display import answer, print_rows

    rows: Rows = []
    for word, cables in (("cables gone", changes.lost_cables), ("new cables", changes.new_cables)):
        rows += [(word if not i else "", name) for i, name in enumerate(_first(cables))]
    rows += [("LIDs" if not i else "", name) for i, name in enumerate(_first(changes.lids))]
    most = ", ".join(_first([f"{name} {number}" for name, number in changes.switches]))
    entries = f"{changes.entries} of {changes.compared} changed: {most}"
    rows.append(("entries", entries if changes.entries else ""))
    if before is not None and before.deadlock_free is not after.deadlock_free:
        rows.append(("deadlock-free", f"before {answer(before.deadlock_free)}, now {answer(after.deadlock_free)}"))
    if changes.none:
        rows.append(("changes", f"none in cables, LIDs and {changes.compared:,} table entries"))
    print_rows(rows)


def _first(names: Sequence[str], most: int = 10) -> list[str]:
    """The first of a list, and how many more there are."""
    return [*names[:most], *([f"and {len(names) - most} more"] if len(names) > most else [])]


def _show_traffic(traffic: TrafficAudit) -> None:
    """Print what a kind of traffic is, and the loop and the dead ends of one that fails."""
    from unknot.cli.commands.display import print_rows

    rows: Rows = [(traffic.traffic, traffic.meaning)]
    if traffic.loop:
        rows.append(("  its loop", " → ".join([*traffic.loop, traffic.loop[0]])))
    rows += [("  lost", lost) for lost in traffic.lost]
    rows += [("  unknown", cause) for cause in _first(traffic.unknown.unknown_because)]
    print_rows(rows)


def _show_multicast(multicast: MulticastAudit, audit: Audit) -> None:
    """Whether multicast groups and routes between hosts can deadlock together."""
    from rich.text import Text

    from unknot.cli.commands.display import accepts, answer, print_rows, sentences

    beside = "with host-to-host traffic" if audit.deadlock_free else "with host-to-host traffic, which can deadlock"
    level = f" at SL {multicast.level}" if multicast.relation.vcs.widest > 1 else ""
    rows: Rows = [
        ("multicast", f"{multicast.groups} groups by {audit.fabric.multicast_file}{level}"),
        ("  deadlock-free", Text.assemble(answer(multicast.deadlock_free), f", {beside}")),
        ("  evidence", f"the separate checker {accepts(multicast.certificate_holds)}"),
        (
            "  delivers",
            Text.assemble(
                answer(multicast.delivered),
                f", {multicast.pairs - multicast.undelivered_pairs} of {multicast.pairs} pairs of members",
            ),
        ),
    ]
    if multicast.loop:
        rows.append(("  its loop", " → ".join([*multicast.loop, multicast.loop[0]])))
    rows += [("  endless", circle) for circle in multicast.circling]
    rows += [("  lost", lost) for lost in multicast.lost]
    print_rows(rows)
    if multicast.verdict.configuration is not None and audit.deadlock_free:
        from unknot.report.configuration_text import describe

        print()
        sentences(describe(multicast.relation, multicast.verdict.configuration))
