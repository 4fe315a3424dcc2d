"""`unknot audit`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from unknot._base.errors import UnknotError
from unknot._base.switching import DEFAULT_SWITCHING, Switching
from unknot.cli.commands.answer_files import PAGE
from unknot.cli.commands.asking import taken
from unknot.cli.commands.options import MINUTE, Json, Options, TimeLimit
from unknot.cli.commands.printing import wrote
from unknot.cli.commands.shared import exit_code, numbers_of
from unknot.cli.commands.unread import name_idle
from unknot.cli.commands.written import write_evidence

if TYPE_CHECKING:
    from unknot.certificates.documents import Document
    from unknot.verify.audit import Audit


@dataclass(frozen=True)
class AuditOptions(Options):
    """The fabric, what is assumed of it, and where the answer goes.

    Attributes
    ----------
    fabric : argument FOLDER|FABRIC_FILE
        Output of ibnetdiscover, or a link list.
    tables : FILE
        Forwarding tables, as dumped by OpenSM.
    lids : FILE
        LIDs of ports instead of those of the fabric: guid2lid of OpenSM, or of `unknot repair --lmc`.
    sl : FILE
        Service levels of the paths: .psl, or saquery -p.
    sl2vl : FILE
        SL to VL tables of the switches.
    lanes
        Number of lanes in use, without --sl2vl: the VL is the SL modulo N.
    mcfdbs : FILE
        Multicast tables, as dumped by OpenSM.
    multicast_sl
        Service level of multicast packets.
    compare : OLD
        Older folder or file; the answer then shows changes, and whether switches can be updated one by one.
    paused : SWITCH:PORT
        Port of an Ethernet switch that is paused for ever: the answer says which ports, flows and hosts stop.
    dscp : NUMBERS
        DSCPs with which hosts of an Ethernet fabric send, with commas between them; without it all.
    assume
        Assumption about adaptive routing shown by other files: static judges the tables alone.
    out : html
        .html the report
    """

    fabric: Path
    tables: Path | None = None
    lids: Path | None = None
    sl: Path | None = None
    sl2vl: Path | None = None
    lanes: int | None = None
    mcfdbs: Path | None = None
    multicast_sl: int = 0
    compare: Path | None = None
    paused: str | None = None
    dscp: str | None = None
    assume: Literal["static"] | None = None
    switching: Switching = DEFAULT_SWITCHING
    deadline: TimeLimit = MINUTE
    evidence: Path | None = None
    json: Json = False


def audit(options: AuditOptions) -> int:
    """Judge whether the forwarding tables of a fabric can deadlock, and whether the tables deliver.

    The first part of the answer says what is wrong with the cables, as `unknot diagnose` does.

    For a folder with routes of Ethernet switches (SWITCH/route.json) the command judges priority flow control
    (PFC), with QoS maps from SWITCH/config_db.json; --paused, --dscp, --out, --evidence, --time-limit and --json are
    its options.

    In a folder the command finds service levels, lanes, multicast tables and hop counts beside the forwarding
    tables. Multicast shares buffers with routes between hosts, so the command judges both together. With service
    levels a second verdict is about replies, which recipients send at the level of the request.

    The command judges the known part of dumps that are cut off or lack switches; without a deadlock the answer is
    then open. The answer is also open if files show adaptive routing, except with --assume static. --evidence has a
    part for each kind of traffic.

    Exit code 0: the tables cannot deadlock, and deliver; 1: a deadlock or an undelivered pair exists; 3: time or
    known entries were not enough to decide.

    Examples
    --------
    >>> import unknot
    >>> answer = unknot.audit("examples/fabrics/opensm-ring12-lash")
    >>> answer.deadlock_free, answer.delivered, answer.holds
    (True, True, True)
    """
    from unknot.cli.answers.audits import AuditAnswer, audit_answer
    from unknot.cli.commands import activity
    from unknot.cli.commands.diagnose import diagnosed
    from unknot.cli.commands.display import describe, put
    from unknot.fabrics import compare_fabrics, read_fabric
    from unknot.fabrics.ethernet.folder import is_ethernet
    from unknot.fabrics.levels import LEVELS
    from unknot.verify.audit import audit as audit_fabric
    from unknot.verify.update import update_fabric

    fabric, switching, deadline = options.fabric, options.switching, options.deadline
    if is_ethernet(fabric):
        others = options.some("tables", "lids", "sl", "sl2vl", "lanes", "mcfdbs", "multicast_sl", "compare", "assume")
        if any(others.values()) or switching != DEFAULT_SWITCHING:
            raise UnknotError(
                f"{fabric}: an audit of Ethernet takes --paused, --dscp, --out, --evidence, --time-limit and "
                "--json alone"
            )
        return _audit_switches(options)
    if not 0 <= options.multicast_sl < LEVELS:
        raise UnknotError(f"--multicast-sl {options.multicast_sl}: service levels are 0 to {LEVELS - 1}")
    name_idle(paused=options.paused is not None, dscp=options.dscp is not None)
    read = read_fabric(
        fabric, options.tables, lids=options.lids, levels=options.sl, lanes=options.sl2vl, multicast=options.mcfdbs,
        assume=options.assume,
    )  # fmt: skip
    with activity.working("auditing"):
        how = partial(audit_fabric, switching=switching, time_limit=deadline)
        audited = how(read, lanes=options.lanes, multicast_level=options.multicast_sl)
        old = None if options.compare is None else read_fabric(options.compare, assume=options.assume)
        changes = None if old is None else compare_fabrics(old, read)
        before = None if old is None or old.tables is None else how(old)
        diagnosis = diagnosed(read)
        update = None if before is None or old is None else update_fabric(old, read, switching, time_limit=deadline)
    name_idle(multicast_sl=options.multicast_sl != 0 and audited.multicast is None)
    for page in taken(PAGE):
        from unknot.report import write_audit_report

        write_audit_report(audited, page, diagnosis)
        wrote(page)
    if options.evidence is not None:
        write_evidence(options.evidence, read.network, [], audit_parts(audited))
    put(options.json, AuditAnswer, audit_answer(audited, diagnosis, changes, before, update))
    if not options.json:
        hosts = audited.host_to_host
        one = hosts if audited.replies is None or hosts.verdict.configuration else audited.replies
        describe(one.relation, one.verdict.configuration)
        if audited.multicast is not None and audited.deadlock_free:
            describe(audited.multicast.relation, audited.multicast.verdict.configuration)
    return exit_code(audited.holds)


def _audit_switches(options: AuditOptions) -> int:
    """Check a folder of what switches printed, and return the exit code."""
    from unknot.certificates.documents import part_of
    from unknot.cli.answers.ethernet import AuditEthernetAnswer
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import tell
    from unknot.fabrics.ethernet.folder import read_ethernet
    from unknot.fabrics.ethernet.qos import DSCPS
    from unknot.verify.audit_ethernet import audit_ethernet
    from unknot.verify.delivery import answer_claims
    from unknot.verify.pause_reach import pause_reach

    fabric = read_ethernet(options.fabric)
    sent = DSCPS if options.dscp is None else tuple(numbers_of(options.dscp, "--dscp"))
    if not {*sent} <= {*DSCPS}:
        raise UnknotError(f"--dscp {options.dscp}: DSCPs are numbers from 0 to {DSCPS[-1]}")
    with activity.working("auditing"):
        audited = audit_ethernet(fabric, dscps=sent, time_limit=options.deadline)
        if options.paused is not None:
            audited = replace(audited, reach=pause_reach(fabric, options.paused))
    for page in taken(PAGE):
        from unknot.report.audit_report import write_ethernet_report

        write_ethernet_report(audited, page)
        wrote(page)
    if options.evidence is not None:
        claims = answer_claims(audited.relation, [audited.verdict], None)
        parts = [part_of("buffers", audited.relation, claims, of_its_own=True)] if claims else []
        write_evidence(options.evidence, fabric.network, [], parts)
    tell(options.json, AuditEthernetAnswer, audited)
    return exit_code(audited.holds)


def audit_parts(audited: Audit, before: str = "") -> list[Document]:
    """What is settled of each kind of traffic, as parts of a document, their names `before` the kind.

    Where the files leave something open, a deadlock among what is known is shown, and nothing about delivery. Of
    multicast the trees themselves are not shown, but that packets along them, one for each end, are safe or not.
    """
    from unknot.certificates.documents import part_of
    from unknot.verify.delivery import answer_claims

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
