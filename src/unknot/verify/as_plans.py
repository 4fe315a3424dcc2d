"""AS plans of a fabric that was read: the one that its folder tells or the caller states, or several to judge."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from unknot._base.calls import parse_call
from unknot._base.errors import UnknotError
from unknot.fabrics.ethernet.bgp import read_bgp
from unknot.fabrics.ethernet.fabric import EthernetFabric
from unknot.routing.as_numbers import PLANS
from unknot.routing.own import is_code, is_file
from unknot.verify.fault_sweep import FaultSweep


@dataclass(frozen=True)
class FabricRouting:
    """How switches of a folder may route anew.

    Attributes
    ----------
    texts : tuple of str
        The routing with each AS plan that is judged; one where the plan is known.
    unread : tuple of str
        What the folder holds beside it and the model leaves out.
    of_folder : bool
        Whether there is a folder; then answers name the routing with all its options.
    """

    texts: tuple[str, ...]
    unread: tuple[str, ...] = ()
    of_folder: bool = False

    def compared(self, same: int, compared: int) -> FabricRouting:
        """The same, after routes of the folder were compared with those computed with all cables up."""
        other = (
            f"{compared - same} of {compared} routes are not those computed: cables are down, or another plan holds"
        )
        return self if same == compared else replace(self, unread=(*self.unread, other))


def fabric_routing(fabric: EthernetFabric, text: str) -> FabricRouting:
    """Complete a routing by what a folder tells: of `bgp` the AS plan and options, as far as they are not stated.

    Routes with all links up do not tell a plan: several give the same ones, and others after failures. Without
    configurations or a summary of BGP's sessions each plan that has a name is judged.
    """
    if is_file(text) or is_code(text) or (call := parse_call(text, "--routing")).name != "bgp":
        return FabricRouting((text,), fabric.unread, True)
    told = read_bgp(fabric)
    options = told.options | dict(call.options)
    plans = PLANS if told.plan is None else (told.plan,)
    calls = [options] if "plan" in options else [{"plan": plan, **options} for plan in plans]
    texts = [", ".join(f"{name}={_written(value)}" for name, value in one.items()) for one in calls]
    unread = () if "allowas_in" in call.options else told.unread
    return FabricRouting(tuple(f"bgp({text})" for text in texts), (*fabric.unread, *unread), True)


def stated_routing(fabric: EthernetFabric, text: str) -> FabricRouting:
    """The routing by what a folder tells, where one is to be judged.

    Raises
    ------
    UnknotError
        If the folder does not tell the AS plan, and the text does not state any.
    """
    known = fabric_routing(fabric, text)
    if len(known.texts) > 1:
        raise UnknotError(
            f"{fabric.name}: its files do not tell the AS of every switch, nor do routes with all links up; state a "
            f"plan, such as {' or '.join(f'--routing {one!r}' for one in known.texts)}; `faults` judges each"
        )
    return known


def _written(value: object) -> str:
    """An option as it is written in a call."""
    return json.dumps(value) if isinstance(value, (str, tuple)) else repr(value)


@dataclass(frozen=True)
class PlanSweep:
    """What failures do under one AS plan.

    Attributes
    ----------
    routing : str
        With the AS plan.
    same_routes : int
        Routes of the folder that are those computed with all cables up.
    compared_routes : int
        Routes that were compared.
    sweep : FaultSweep
        All faults.
    """

    routing: str
    same_routes: int
    compared_routes: int
    sweep: FaultSweep


def survives_by(plans: list[PlanSweep]) -> bool | None:
    """Whether a fabric survives failures, its AS plan unknown: False if it does under no plan, else None.

    Plans that were not tried may differ from all that were.
    """
    return False if all(one.sweep.survives is False for one in plans) else None
