"""Report of an audit of lossless Ethernet."""

from __future__ import annotations

import shlex
from pathlib import Path

from unknot.report.page import knot, page, topology, write
from unknot.verify.audit_ethernet import EthernetAudit

ADVICE = {
    "loop": "Give bounced packets a lossless queue and priority group of their own, on both tiers; or keep routes "
    "from going down and up again, with one AS for the spines or communities.",
    "losses": "Give the switch of the far end the same maps, buffers and PFC as the one that sends.",
}
"""What to do."""


def write_ethernet_report(audit: EthernetAudit, path: str | Path) -> None:
    """Write the report of an audit as one HTML file that needs nothing else."""
    stuck = audit.verdict.configuration
    write(
        page(
            "ethernet.html",
            title=f"Audit of {audit.fabric.name}",
            lead=_lead(audit),
            audit=audit,
            knot=stuck and knot(audit.relation, stuck),
            network=topology(audit.fabric.network, routers="switch"),
            advice=ADVICE,
            command=shlex.join(["unknot", "audit", audit.fabric.folder]),
        ),
        path,
    )


def _lead(audit: EthernetAudit) -> str:
    text = {
        True: "Under priority flow control this fabric cannot deadlock.",
        False: "Under priority flow control this fabric can deadlock.",
        None: "Whether this fabric can deadlock is open.",
    }[audit.deadlock_free]
    if not audit.delivered:
        text += " Some packets do not arrive."
    if audit.losses:
        text += " Packets of a lossless class can be dropped."
    return text
