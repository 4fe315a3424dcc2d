"""`unknot faults FOLDER` of Ethernet switches that route anew: AS plans, and what was not read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unknot._base.errors import UnknotError
from unknot.cli.commands.printing import notify

if TYPE_CHECKING:
    from unknot.cli.commands.faults import FaultOptions
    from unknot.fabrics.ethernet.fabric import EthernetFabric
    from unknot.verify.as_plans import FabricRouting


def compare_routes(fabric: EthernetFabric, routing: str) -> tuple[int, int]:
    """Print how many routes of a folder equal the computed routes; return the number, and how many were compared."""
    from unknot.routing.ethernet import path_vector
    from unknot.verify.ethernet_faults import other_routes

    vector = path_vector(fabric.hosted, routing)
    if vector is None:
        return 0, 0
    other, compared = other_routes(fabric, vector)
    words = f", {len(other):,} are not, such as {other[0]}" if other else ""
    notify(f"{compared - len(other):,} of {compared:,} routes in {fabric.folder} are those of {routing}{words}")
    return compared - len(other), compared


def of_plans(options: FaultOptions, fabric: EthernetFabric, known: FabricRouting) -> bool | None:
    """Compute the routes of a folder anew by each AS plan, where it does not tell one."""
    from unknot.cli.answers.analyses import FaultsPlansAnswer
    from unknot.cli.commands.display import tell
    from unknot.verify.as_plans import PlanSweep, survives_by

    need = (
        f"{options.network} does not tell the AS of every switch; state it, such as --routing '{known.texts[-1]}', "
        "or put SWITCH/bgp.json there, the JSON of `vtysh -c 'show bgp summary json'`"
    )
    if options.repair or options.evidence is not None:
        raise UnknotError(f"faults: --repair and --evidence are for one AS plan, and {need}")
    plans = list[PlanSweep]()
    for text in known.texts:
        same, compared = compare_routes(fabric, text)
        sweep = options.sweep(fabric.hosted, text, replace(known, texts=(text,)).compared(same, compared))
        plans.append(PlanSweep(text, same, compared, sweep))
    holds = survives_by(plans)
    tell(options.json, FaultsPlansAnswer, of=fabric.hosted, fabric=fabric.name, survives=holds, plans=plans)
    notify(f"each AS plan that has a name was judged: {need}")
    return holds
