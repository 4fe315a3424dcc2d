"""Audits and repairs of fabrics as tables and lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from unknot.cli.commands.display import Rows, accepts, answer, console, print_rows, print_table, sentences

if TYPE_CHECKING:
    from unknot.fabrics import Changes
    from unknot.report.audit_report import Remedy
    from unknot.verify.audit import Audit
    from unknot.verify.audit_merged import Routes
    from unknot.verify.audit_multicast import MulticastAudit
    from unknot.verify.audit_traffic import TrafficAudit


def show_audit(audit: Audit) -> None:
    """Print the audit of a fabric and its tables."""
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


def show_routes(routes: Routes, most: int) -> None:
    """Lengths of routes, and the cables with the most of them."""
    lengths = ", ".join(f"{hops}: {number:,}" for hops, number in enumerate(routes.lengths) if number)
    print_rows([("routes by hops", lengths)])
    print_table(
        ("cable", "routes forth", "back", "pairs cut off if it fails"),
        [(cable.name, f"{cable.forth:,}", f"{cable.back:,}", f"{cable.routes:,}") for cable in routes.cables[:most]],
    )


def show_changes(changes: Changes, before: Audit | None, after: Audit) -> None:
    """Print the changes since another reading of a fabric."""
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


def show_repair(before: Audit, load: int, rows: Sequence[Remedy], reasons: Sequence[str]) -> None:
    """Remedies for a fabric that were written; `load` is the highest before."""
    from unknot.report.audit_report import times

    def line(name: str, audit: Audit, lanes: int, changed: str, longest: int | None, load: str) -> list[str | Text]:
        # on one lane replies at the level of the request are what requests are
        replies = (audit.replies or audit.host_to_host).verdict.deadlock_free
        answers = map(answer, (audit.deadlock_free, replies, audit.delivered))
        return [name, str(lanes), changed, *answers, "endless" if longest is None else f"{longest} hops", load]

    headings = "remedy", "lanes", "entries changed", "deadlock-free", "and replies", "delivers", "longest route"
    longest = before.host_to_host.delivery.longest_route
    print_table(
        (*headings, "highest load"),
        [
            line("as it is", before, before.lanes, "", longest, f"{load:,}"),
            *(line(r.folder, r.audit, r.lanes, str(r.changed), r.longest, times(r.load, load)) for r in rows),
        ],
    )
    for reason in reasons:
        console().print(f"not written: {reason}")


def _show_traffic(traffic: TrafficAudit) -> None:
    """Print what a kind of traffic is, and the loop and the dead ends of one that fails."""
    rows: Rows = [(traffic.traffic, traffic.meaning)]
    if traffic.loop:
        rows.append(("  its loop", " → ".join([*traffic.loop, traffic.loop[0]])))
    rows += [("  lost", lost) for lost in traffic.lost]
    rows += [("  unknown", cause) for cause in _first(traffic.unknown.unknown_because)]
    print_rows(rows)


def _show_multicast(multicast: MulticastAudit, audit: Audit) -> None:
    """Whether multicast groups and routes between hosts can deadlock together."""
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
