"""The report of an audit: what was read, whether it can deadlock, what does not arrive, how to audit again."""

from __future__ import annotations

import shlex
from pathlib import Path

from unknot import __version__
from unknot.report.findings import counterexample, evidence, longest, topology
from unknot.report.page import Html, answer, code, element, items, page, section, table, write
from unknot.report.words import count, listed
from unknot.verify.audit import Audit, TrafficAudit


def write_audit_report(audit: Audit, path: str | Path) -> None:
    """Write the report of an audit as one HTML file that needs nothing else.

    The same audit gives the same bytes.

    Parameters
    ----------
    audit : Audit
    path : path
        The file; its folder is made.
    """
    write(audit_page(audit), path)


def audit_page(audit: Audit) -> Html:
    """The page that `write_audit_report` writes."""
    parts = [_verdicts(audit)]
    stuck = [found for found in audit.traffics if found.verdict.configuration is not None]
    if stuck:
        parts.append(_deadlock(stuck[0]))
    parts += [_lost(found) for found in audit.traffics if not found.delivery.delivered]
    parts += [_read(audit), _again(audit)]
    return page(f"Audit of {audit.fabric.name}", _lead(audit), *parts)


def _lead(audit: Audit) -> str:
    found = audit.host_to_host
    if found.verdict.deadlock_free is None:
        text = "Whether these forwarding tables can deadlock was not decided."
    elif found.verdict.deadlock_free:
        text = "Between hosts, these forwarding tables cannot deadlock."
    else:
        text = f"These forwarding tables can deadlock, on a loop of {count(len(found.loop), 'switch')}."
    beside = [_spoken(other) for other in audit.others if other.verdict.deadlock_free is False]
    if found.verdict.deadlock_free and beside:
        told = listed(beside)
        text += f" {told[:1].upper()}{told[1:]} can."
    if found.delivery.delivered:
        return f"{text} Every host reaches every other."
    return f"{text} {found.delivery.undelivered_pairs:,} of {count(found.delivery.pairs, 'pair')} are not delivered."


def _verdicts(audit: Audit) -> Html:
    head = ("Traffic", "Deadlock", "Decided by", "Evidence", "Delivered", "Longest route", "Shortest routes only")
    rows = [
        [
            element("b", found.traffic),
            answer(found.verdict.deadlock_free, "deadlock-free", "can deadlock"),
            found.verdict.method,
            evidence(found.verdict, found.certificate_holds),
            answer(
                found.delivery.delivered,
                f"all {found.delivery.pairs:,} pairs",
                f"{found.delivery.undelivered_pairs:,} of {found.delivery.pairs:,} pairs not",
            ),
            longest(found.relation, found.delivery),
            _lengthened(found),
        ]
        for found in audit.traffics
    ]
    notes = element(
        "dl",
        *(element("dt", "Switching"), element("dd", audit.switching)),
        *(element("dt", "Assumed"), element("dd", audit.assumption[:1].upper() + audit.assumption[1:] + ".")),
        *(element("dt", "Scope, host-to-host"), element("dd", audit.host_to_host.verdict.scope + ".")),
        *(element("dt", "Established, host-to-host"), element("dd", audit.host_to_host.verdict.established + ".")),
        class_="note",
    )
    return section("Verdicts", table(head, rows), notes)


def _spoken(found: TrafficAudit) -> str:
    return "traffic of all kinds together" if found.traffic == "all" else f"{found.traffic} traffic"


def _lengthened(found: TrafficAudit) -> Html:
    if not found.longer_pairs:
        return answer(True, "yes", "")
    told = f"{found.longer_pairs:,} longer, by up to {count(found.extra_hops, 'hop')}"
    return Html(f"{answer(False, '', 'no')} {element('span', told, class_='note')}")


def _deadlock(found: TrafficAudit) -> Html:
    if found.verdict.configuration is None:
        return Html()
    loop = [
        element("p", element("b", "Switches on the loop: "), " → ".join([*found.loop, found.loop[0]]) + ".")
        for _ in found.loop[:1]
    ]
    drawn = counterexample(found.relation, found.verdict.configuration)
    return section(f"How {_spoken(found)} deadlocks", *loop, drawn)


def _lost(found: TrafficAudit) -> Html:
    pairs = f"{found.delivery.undelivered_pairs:,} of {count(found.delivery.pairs, 'pair')} are not delivered."
    return section(f"Where {_spoken(found)} does not arrive", element("p", pairs), items(found.lost))


def _read(audit: Audit) -> Html:
    fabric = audit.fabric
    rows = [
        ("Fabric", fabric.fabric_file),
        ("Forwarding tables", fabric.tables_file),
        (
            "Found",
            f"{count(fabric.network.num_routers, 'switch')}, {count(fabric.network.num_terminals, 'host port')}, "
            f"{count(fabric.lids.size, 'LID')}",
        ),
    ]
    facts = element("dl", *(cell for name, value in rows for cell in (element("dt", name), element("dd", value))))
    notes = [element("h3", "Noticed on reading"), items(fabric.notes)] if fabric.notes else []
    return section("What was read", facts, *notes, topology(fabric.network, routers="switch"))


def _again(audit: Audit) -> Html:
    fabric = audit.fabric
    words = ["unknot", "audit", fabric.fabric_file, "--tables", fabric.tables_file]
    if audit.switching != "vct":
        words += ["--switching", audit.switching]
    command = shlex.join(words).replace(" --", " \\\n    --")
    return section("How to audit again", code(command), element("p", f"Unknot {__version__}.", class_="note"))
