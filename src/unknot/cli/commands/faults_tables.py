"""`unknot faults` of a fabric whose forwarding tables stay as they are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from unknot._base.errors import UnknotError
from unknot.cli.commands.printing import notify, wrote
from unknot.cli.commands.written import write_evidence

if TYPE_CHECKING:
    from unknot.cli.commands.faults import FaultOptions

ROW = 400
"""Bytes of a row about a pair, until it is written."""


def of_tables(options: FaultOptions) -> bool | None:
    """Leave the forwarding tables of a fabric as they are; whether no fault cuts off a pair of surviving hosts."""
    from unknot._base.frames import columns_of, write_csv
    from unknot._base.memory import require
    from unknot.cli.answers.analyses import FaultsFabricAnswer
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import tell
    from unknot.fabrics import read_fabric
    from unknot.fabrics.ethernet.folder import is_ethernet, read_ethernet
    from unknot.fabrics.named import network as network_named
    from unknot.fabrics.reading import split_form
    from unknot.routing.routes_read import routes_read
    from unknot.verify.as_plans import FabricRouting
    from unknot.verify.table_faults import fabric_parts, table_faults

    if not Path(split_form(options.network)[1]).exists():
        network_named(options.network, where="NETWORK")  # says why, where it is neither a network nor a file
        raise UnknotError(
            f"{options.network}: name a --routing, which is checked after each fault, or a fabric with forwarding "
            "tables (a folder, or a file and --tables)"
        )
    if is_ethernet(Path(options.network)):
        if any(options.some("tables", "pairs", "assume").values()):
            raise UnknotError(
                f"{options.network}: --tables, --pairs and --assume are for InfiniBand, not for Ethernet switches"
            )
        notify(
            "the routes stay as they were read; to compute them anew after each failure, name --routing bgp or "
            "ospf, such as --routing 'bgp(plan=\"rfc7938\")'"
        )
        switches = read_ethernet(options.network).one_vrf
        routes, known = routes_read(switches), FabricRouting(("routes as read",), switches.unread)
        return options.rerouted(routes.network, lambda left: routes.left(left).relation(known.texts[0]), known)
    fabric = read_fabric(options.network, options.tables, assume=options.assume)
    with activity.working("faults") as progress:
        faults = table_faults(fabric, failures=options.failures, progress=progress)
    if options.pairs is not None:
        lost = sum(fault.lost_pairs for fault in faults.tried[: options.show])
        require(f"{lost:,} rows of pairs", ROW * lost)
        write_csv(columns_of(list(faults.rows(options.show))), options.pairs)
        wrote(options.pairs)
    if options.evidence is not None:
        write_evidence(options.evidence, faults.relation, [faults.claim])
    options.show_failures(fabric.network, faults, fabric_parts(fabric, options.kind), "the tables as they are")
    tell(options.json, FaultsFabricAnswer, faults, max_rows=options.show)
    return faults.survives
