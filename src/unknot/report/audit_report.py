"""Pages about fabrics: the report of an audit, and the page that says how to load repaired tables."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from unknot.report.loop_drawing import draw_loop
from unknot.report.page import knot, page, topology, write
from unknot.report.phrases import ANSWERS, CAN_DEADLOCK, count, listed
from unknot.report.sheet import COLOURS, ON_COLOUR
from unknot.verify.audit import Audit
from unknot.verify.audit_ethernet import EthernetAudit
from unknot.verify.audit_traffic import REPLIES, TrafficAudit


def write_audit_report(audit: Audit, path: str | Path) -> None:
    """Write the report of an audit as one HTML file that needs nothing else.

    The same audit gives the same bytes.

    Parameters
    ----------
    audit : Audit
        The audit.
    path : path
        The file; its folder is made.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from unknot.fabrics import read_fabric
    >>> from unknot.verify.audit import audit
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "audit.html"
    ...     write_audit_report(audit(read_fabric("examples/fabrics/opensm-ring12-lash")), path)
    ...     path.read_text(encoding="utf-8")[:15]
    ...
    '<!DOCTYPE html>'
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


@dataclass(frozen=True)
class WrittenRemedy:
    """Files of a remedy: kind, folder, lanes, changed entries, highest load, verdict on the files, and steps.

    The load is the number of routes between hosts over the busiest channel.
    """

    kind: str
    folder: str
    lanes: int
    changed: int
    load: int
    audit: Audit
    steps: tuple[str, ...]

    @property
    def longest(self) -> int | None:
        """Hops of the longest route between hosts."""
        return self.audit.host_to_host.delivery.longest_route


MEANING = {
    "same-routes": "the tables stay; packets get service levels, and with them lanes",
    "new-tables": "new tables of shortest paths, in as few lanes as were found",
    "one-lane": "new tables of low load for one lane: no service levels, routes may be longer",
}

_ONE = """
    opensm -R file,no_fallback -U {folder}/tables.lfts

Judge the tables before you load them, FABRIC being the file of links:

    unknot audit FABRIC --tables {folder}/tables.lfts

"""
_SEVERAL = """
    opensm -F {folder}/opensm.conf -R file,no_fallback -U {folder}/tables.lfts

Judge the tables before you load them, FABRIC being the file of links. The verdict needs the levels and lanes, too:

    unknot audit FABRIC --tables {folder}/tables.lfts --sl {folder}/paths.psl --sl2vl {folder}/lanes.slvl

`opensm.conf` switches QoS on, maps each service level to the lane of the same number and names `qos-policy.conf`;
put its lines into your own options file if you have one. By this policy OpenSM answers every query for the path
between two hosts with the level in `paths.psl`. The remedy holds for senders that use the level they are given:

- what connects through `rdma_cm` or asks `ibacm` does, and so do MPI libraries configured to ask for path records;
- a program that takes LIDs from elsewhere and writes SL 0 into its packets does not, and is not protected;
- the accepting side of a connection usually answers at the level of the request. {replies}
"""
_REPLIES = {
    True: "That was judged, too: the levels in `paths.psl` are safe for such replies.",
    False: "SUCH REPLIES CAN DEADLOCK: this remedy is for one-way traffic, as `--one-way` says; `one-lane` has no "
    "such condition.",
    None: "That was not decided in the time given; `one-lane` has no such condition.",
}
_LOADED = """
## How to see that it was loaded

1. `grep 'file tables configured on all switches' LOG`, LOG being OpenSM's log. Without `no_fallback`, OpenSM routes
   by minhop when the file is missing or broken, and still exits with code 0.
2. Dump the tables (`-D 0x43`, or `dump_lfts.sh`) and compare them, and what they do:
   `unknot audit --compare BEFORE AFTER` with folders, or `unknot audit FABRIC --tables opensm-lfts.dump`.
3. With service levels: `saquery -p --slid S --dlid D` shows the level of a path, `saquery -p > paths.psl` those of
   all, and `opensm-sl2vl.dump` has the lanes. Then `unknot audit FABRIC --tables opensm-lfts.dump
   --sl paths.psl --sl2vl opensm-sl2vl.dump`.

The tables belong to this cabling and these GUIDs. LIDs may differ: OpenSM finds the ports of a table by their GUIDs.
After a cable fails, OpenSM loads the same file again and the
routes over that cable are dead; repair anew, or fall back to another engine.
"""


def repair_page(before: Audit, load: int, rows: Sequence[WrittenRemedy], reasons: Sequence[str]) -> str:
    """The page as Markdown; `load` is the highest before."""
    fabric = before.fabric
    text = [f"# Repaired tables for {fabric.name}", ""]
    text += [
        f"Read: {fabric.fabric_file}, {fabric.tables_file}. Between hosts these tables "
        f"{CAN_DEADLOCK[before.deadlock_free]} ({before.assumption})."
    ]
    if before.loop:
        text += ["", f"The loop: {' → '.join([*before.loop, before.loop[0]])}."]
    heads = ("remedy", "changes", "lanes", "entries changed", "highest load", "longest route", "safe, and delivers")
    text += ["", f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for row in rows:
        text.append(
            f"| `{row.folder}` | {MEANING[row.kind]} | {row.lanes} | {row.changed:,} | {times(row.load, load)} | "
            f"{'' if row.longest is None else count(row.longest, 'hop')} | {ANSWERS[row.audit.holds]} |"
        )
    text += ["", f"The load is the number of routes between hosts over the busiest channel; it was {load:,} before."]
    if reasons:
        text += ["", "Not written:", "", *(f"- {reason}" for reason in reasons)]
    for row in rows:
        text += ["", f"## How to load `{row.folder}`"]
        replies = row.audit.replies
        said = "" if replies is None else _REPLIES[replies.verdict.deadlock_free]
        text += ["", "Without a deadlock on the way:", ""]
        text += [f"{number}. {step}" for number, step in enumerate(row.steps, 1)]
        text.append((_ONE if replies is None else _SEVERAL).format(folder=row.folder, replies=said).rstrip("\n"))
    return "\n".join(text) + "\n" + _LOADED


def times(load: int, before: int) -> str:
    """Describe a load against the one before, such as ``345 (× 1.92)``."""
    return f"{load:,} (× {load / before:.2f})" if before else f"{load:,}"


ADVICE = {
    "loop": "Give bounced packets a lossless queue and priority group of their own, on both tiers; or keep routes "
    "from going down and up again, with one AS for the spines or communities. Both are written by the command below, "
    "as QoS maps of SONiC and as route-maps of FRR; it says what reachability the latter cost.",
    "losses": "Give the switch of the far end the same maps, buffers and PFC as the one that sends.",
}
"""What to do."""


def write_ethernet_report(audit: EthernetAudit, path: str | Path) -> None:
    """Write the report of an audit as one HTML file that needs nothing else."""
    write(
        page(
            "ethernet.html",
            title=f"Audit of {audit.fabric.name}",
            lead=_ethernet_lead(audit),
            audit=audit,
            drawing=Markup(draw_loop(audit.fabric.hosted, audit.circle, audit.paths)) if audit.circle else "",
            chips=[*zip(COLOURS, ON_COLOUR, strict=True)],
            network=topology(audit.fabric.hosted, routers="switch"),
            advice=ADVICE,
            repair=shlex.join(["unknot", "repair", audit.fabric.folder, "--out", "repaired"]),
            command=shlex.join(["unknot", "audit", audit.fabric.folder]),
        ),
        path,
    )


def _ethernet_lead(audit: EthernetAudit) -> str:
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
