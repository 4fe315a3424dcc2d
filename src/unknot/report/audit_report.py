"""The report of an audit: what was read, whether it can deadlock, what does not arrive, how to audit again."""

from __future__ import annotations

import shlex
from pathlib import Path

from unknot.report.findings import knot, topology
from unknot.report.page import page, write
from unknot.report.phrases import count, listed
from unknot.verify.audit import Audit
from unknot.verify.audit_traffic import REPLIES, TrafficAudit


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


def audit_page(audit: Audit) -> str:
    """Return the page that `write_audit_report` writes."""
    stuck = next((traffic for traffic in audit.rows if traffic.verdict.configuration is not None), None)
    shown = stuck and stuck.verdict.configuration and knot(stuck.relation, stuck.verdict.configuration)
    return page(
        "audit.html",
        title=f"Audit of {audit.fabric.name}",
        lead=_lead(audit),
        audit=audit,
        fabric=audit.fabric,
        stuck=stuck,
        knot=shown,
        network=topology(audit.fabric.network, routers="switch"),
        spoken=_spoken,
        command=_command(audit),
    )


def _lead(audit: Audit) -> str:
    hosts = audit.host_to_host
    unknown = hosts.unknown
    if hosts.verdict.deadlock_free is None and unknown.unknown_because:
        text = (
            f"Whether these forwarding tables can deadlock is open: {unknown.unknown_pairs:,} of "
            f"{count(hosts.delivery.pairs, 'pair')} are unknown, the others are free."
        )
    elif hosts.verdict.deadlock_free is None:
        text = "Whether these forwarding tables can deadlock was not decided."
    elif hosts.verdict.deadlock_free:
        text = "Between hosts, these forwarding tables cannot deadlock."
    else:
        text = f"These forwarding tables can deadlock, on a loop of {count(len(hosts.loop), 'switch')}."
    beside = [_spoken(other) for other in audit.rows[1:] if other.verdict.deadlock_free is False]
    if hosts.verdict.deadlock_free and beside:
        kinds = listed(beside)
        text += f" {kinds[:1].upper()}{kinds[1:]} can."
    if audit.multicast is not None and audit.multicast.deadlock_free is False and audit.deadlock_free:
        text += " Together with multicast they can."
    if hosts.delivery.delivered:
        return f"{text} Every host reaches every other."
    if hosts.delivery.delivered is None:
        return f"{text} Every known route arrives."
    return f"{text} {hosts.delivery.undelivered_pairs:,} of {count(hosts.delivery.pairs, 'pair')} are not delivered."


def _spoken(traffic: TrafficAudit) -> str:
    if traffic.traffic == REPLIES:
        return "traffic with replies at the level of the request"
    return "traffic of all kinds together" if traffic.traffic == "all" else f"{traffic.traffic} traffic"


def _command(audit: Audit) -> str:
    fabric = audit.fabric
    words = ["unknot", "audit", fabric.fabric_file, "--tables", fabric.tables_file]
    for option, file in (
        ("--sl", fabric.levels_file), ("--sl2vl", fabric.lanes_file), ("--mcfdbs", fabric.multicast_file),
    ):  # fmt: skip
        words += [option, file] if file else []
    if fabric.levels is not None and fabric.lanes is None:
        words += ["--lanes", str(audit.lanes)]
    if audit.multicast is not None and audit.multicast.level:
        words += ["--multicast-sl", str(audit.multicast.level)]
    if audit.switching != "vct":
        words += ["--switching", audit.switching]
    return shlex.join(words).replace(" --", " \\\n    --")
