"""Reports of audits, and the drawing of a cyclic buffer dependency with the flows that make it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from unknot._base.phrases import capital, count, listed
from unknot.fabrics.diagnosis import Diagnosis
from unknot.network import Network
from unknot.report import shapes
from unknot.report import sheet as paper
from unknot.report.configuration_drawing import excerpt
from unknot.report.diagnosis_report import diagnosis_values
from unknot.report.page import knot, topology
from unknot.report.picture import Drawing
from unknot.report.rendering import page, write
from unknot.report.scenes import knot_scene, loop_scene, order_scene
from unknot.report.sheet import COLOURS, PALE, Sheet
from unknot.verify.audit import Audit
from unknot.verify.audit_ethernet import EthernetAudit
from unknot.verify.audit_traffic import REPLIES, TrafficAudit


def write_audit_report(audit: Audit, path: str | Path, diagnosis: Diagnosis | None = None) -> None:
    """Write the report of an audit as one HTML file that needs nothing else.

    The same audit gives the same bytes.

    Parameters
    ----------
    audit : Audit
        The audit.
    path : path
        The file; its folder is made.
    diagnosis : Diagnosis, optional
        What is wrong with the cables, which then stands first.

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
    stuck = next((traffic for traffic in audit.rows if traffic.verdict.configuration is not None), None)
    deadlock = None if stuck is None else stuck.verdict.configuration
    shown = None if stuck is None or deadlock is None else knot(stuck.relation, deadlock)
    scene = order_scene(audit.host_to_host.relation, audit.host_to_host.verdict)
    if stuck is not None and deadlock is not None:
        scene = knot_scene(stuck.relation, deadlock)
    text = page(
        "audit.html",
        title=f"Audit of {audit.fabric.name}",
        lead=_lead(audit),
        audit=audit,
        fabric=audit.fabric,
        stuck=stuck,
        knot=shown,
        scene=scene,
        network=topology(audit.fabric.network, routers="switch"),
        spoken=_spoken,
        **diagnosis_values(audit.fabric, diagnosis),
    )
    write(text, path)


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
        text += f" {capital(kinds)} can."
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
            scene=loop_scene(audit.fabric.hosted, audit.circle, audit.paths, audit.flows),
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


LOOP = "#c0172b"
MOST = 60
"""Most switches that are drawn; of more those on the loop and on the way of the flows."""


def draw_loop(network: Network, circle: Sequence[int], paths: Sequence[Sequence[int]]) -> Drawing:
    """Draw a loop of channels and the paths of flows on a fabric.

    Channels whose buffers wait for one another are thick and red, with arrowheads in the direction of packets; each
    flow is a line in a colour of its own, from its first switch to the arrowhead at its last.

    Parameters
    ----------
    network : Network
        With terminals at the switches with hosts, which are drawn at the bottom.
    circle : sequence of int
        Channels.
    paths : sequence of sequence of int
        The channels of each flow.
    """
    title = (
        f"{count(len(circle), 'buffer')} of {network.name} that wait for one another, and {count(len(paths), 'flow')}"
    )
    touched = sorted({*circle, *(c for path in paths for c in path)})
    here = {c: c for c in touched}
    if network.num_routers > MOST:
        network, here = excerpt(network, touched)
    sheet = Sheet.of(network)
    thick, thin = max(4.0, 0.3 * sheet.radius), max(1.4, 0.1 * sheet.radius)
    parts = [shapes.links(sheet, PALE)]
    for c in circle:
        parts += _arrow(sheet, here[c], thick * 0.5, LOOP, thick, "on the loop")
    for number, path in enumerate(paths):
        colour = COLOURS[number % len(COLOURS)]
        for step, c in enumerate(path):
            beside = thick + 1.6 * thin * (number % 6 + 1)
            parts += _arrow(sheet, here[c], beside, colour, thin, f"flow {number + 1}", tip=step == len(path) - 1)
    parts += shapes.routers(sheet, {*range(network.num_routers)}, faint=False)
    return shapes.svg(sheet.width, sheet.height, title, parts)


def _arrow(
    sheet: Sheet, channel: int, shift: float, colour: str, width: float, words: str, *, tip: bool = True
) -> list[str]:
    lane = sheet.lane(channel, min(shift, 0.8 * sheet.radius))
    head = [shapes.area(paper.arrowhead(lane[-1], lane[-1] - lane[-2], 2.2 * width + 2), colour)] if tip else []
    return [shapes.stroke(paper.path(lane), colour, width, words), *head]
