"""Forms of routes in few virtual lanes, and of remedies for a routing that can deadlock."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from unknot._base.phrases import count
from unknot._base.quantities import By, ChannelNumber, MeanHops, RouterNumber, TerminalNumber
from unknot.cli.answers.form import Form, Natural, Number, Positive, Words, of
from unknot.cli.answers.networks import RelationForm
from unknot.cli.answers.verdicts import DeliveryForm, VerdictForm
from unknot.lane_assignment.changing import ChangingLanes
from unknot.lane_assignment.figures import LaneFigures, Lanes, LongerLanes
from unknot.lane_assignment.forced import ForcedCycle, RouteCycle
from unknot.lane_assignment.lane_refutation import Refutation, RouteRefutation
from unknot.remedies.repair import Remedy
from unknot.remedies.repaired_faults import RepairedFault
from unknot.verify.examination import Examination
from unknot.verify.failures import Parts


class ForcedTurnForm(Form):
    """A channel and the next that every shortest path from one router to another takes."""

    channel: ChannelNumber
    following: ChannelNumber
    source: RouterNumber
    """The routers."""
    destination: RouterNumber
    """The routers."""


class ForcedCycleForm(Form, of=ForcedCycle):
    """Proof that one lane is impossible: a closed cycle of forced turns."""

    kind: Literal["forced-cycle"] = "forced-cycle"
    lanes: Literal[1] = 1
    turns: list[ForcedTurnForm]


class RefutationForm(Form, of=Refutation):
    """Proof that a number of lanes is impossible: contradictory clauses over numbered routers and channels."""

    kind: Literal["refutation"] = "refutation"


class RouteRefutationForm(RefutationForm, of=RouteRefutation):
    """Proof that a number of lanes is impossible for given routes; pairs are of a source terminal and an address."""

    kind: Literal["route-refutation"] = "route-refutation"  # type: ignore[assignment]


class RouteTurnForm(Form):
    """A channel and the next that a given route takes."""

    channel: ChannelNumber
    following: ChannelNumber
    source: TerminalNumber
    """The terminal that sends."""
    address: int = of("destination")


class RouteCycleForm(Form, of=RouteCycle):
    """Proof that one lane is impossible for given routes: a closed cycle of turns taken by the routes."""

    kind: Literal["route-cycle"] = "route-cycle"
    lanes: Literal[1] = 1
    turns: list[RouteTurnForm]


class TriedForm(Form):
    """A number of lanes that was not enough for the search."""

    lanes: Positive
    rounds: Natural
    pairs_left: Natural
    """Fewest pairs left without a route."""


class FrontForm(Form):
    """Routes in a number of lanes."""

    lanes: Positive
    highest_load: Number
    """The lowest that was found."""


class FoundForm(Form):
    """When a number of lanes was found to be enough."""

    seconds: Number
    lanes: Natural


def _tried(tried: Any, subject: Any) -> Any:
    if not isinstance(tried, dict):
        return tried
    return [{"lanes": k, "rounds": r, "pairs_left": left} for k, (r, left) in sorted(tried.items())]


def why_fewer_fail(evidence: Any, _: Any) -> str:
    """The reason why a number of lanes is impossible, of a filled form; empty without evidence."""
    if evidence is None:
        return ""
    if "turns" not in evidence:
        cycles = f"{len(evidence['cycles'])} cycles of channels that no lane may close"
        return (
            f"{evidence['lanes']} impossible: with {'an order of channels' if evidence['ordered'] else cycles}, the "
            f"clauses that the routes of {len(evidence['pairs'])} pairs fulfil contradict each other; the proof has "
            f"{count(len(evidence['steps']), 'step')}"
        )
    names = " → ".join(turn["channel"] for turn in evidence["turns"])
    if evidence["kind"] == "route-cycle":
        return f"1 impossible: the given routes take each of these channels and then the next: {names}"
    return (
        "1 impossible: for each of these channels some pair of routers has no shortest path but on to the next, and "
        f"the channels close a cycle: {names}"
    )


UNSHOWN = "relation count key sends given load load_evidence"
OF_ROUTES = f"{UNSHOWN} routes lane lane_load"


class FewestForm(
    VerdictForm,
    DeliveryForm,
    RelationForm,
    of=LaneFigures,
    without=UNSHOWN,
    also="fewest highest_load mean_load load_bound load_gap load_bound_holds",
):
    """Routes in few lanes, whether packets keep them or not."""

    table: ClassVar[str] = """
        conclusion network.name lanes lower_bound evidence evidence_holds tried conflicts disagreements
        changing_pairs levels deadlock_free established certificate_holds delivered minimal longest_route
        longest_pair single_load highest_load mean_load load_bound load_gap load_bound_holds worst_load
        lane_pairs lane_highest front moves complete seconds
    """

    lanes: Positive
    conclusion: str
    evidence: Annotated[
        ForcedCycleForm | RefutationForm | RouteCycleForm | RouteRefutationForm | None, Words(why_fewer_fail)
    ]
    tried: Annotated[list[TriedForm], By(_tried)]
    seconds: Number


class LanesAnswer(FewestForm, of=Lanes, without=OF_ROUTES, also="evidence_holds lane_pairs lane_highest"):
    """JSON answer of `unknot lanes`."""

    front: list[FrontForm]
    history: list[FoundForm]


class LanesChangesAnswer(FewestForm, of=ChangingLanes, without=UNSHOWN, also="evidence_holds"):
    """JSON answer of `unknot lanes --changes …`."""


class LanesLongerAnswer(
    VerdictForm,
    DeliveryForm,
    RelationForm,
    of=LongerLanes,
    without=f"{OF_ROUTES} worst_load hops shortest wanted",
    also="""
        pairs longer_pairs mean_hops mean_shortest longest_detour highest_load load_bound load_gap
        load_bound_holds lane_pairs lane_highest
    """,
):
    """JSON answer of `unknot lanes --lanes K`."""

    table = """
        conclusion network.name lanes mean_hops mean_shortest longest_detour highest_load load_bound
        load_gap load_bound_holds lane_pairs lane_highest deadlock_free established certificate_holds
        delivered minimal longest_route longest_pair moves complete
    """

    lanes: Positive
    conclusion: str


ANSWERS: dict[type, type[Form]] = {
    Lanes: LanesAnswer,
    ChangingLanes: LanesChangesAnswer,
    LongerLanes: LanesLongerAnswer,
}
"""Forms of what the searches return."""


class StateForm(
    Form,
    of=Examination,
    without="*",
    also="""
        deadlock_free=verdict.deadlock_free certificate_holds=holds delivered=delivery.delivered
        minimal=delivery.minimal
    """,
):
    """Verdict, delivery and load of a routing."""

    widest_vcs: int
    """Most VCs of a channel."""
    highest_load: Number
    """Highest load of a channel under uniform traffic, in routes from terminal to terminal; null where some loop."""
    mean_hops: MeanHops


class RemedyForm(Form, of=Remedy, without="change", also="evidence_holds lane_pairs lane_highest"):
    """A remedy and its cost."""

    table = """
        kind cost unit lower_bound evidence_holds changed_pairs after.widest_vcs after.highest_load
        after.mean_hops after.deadlock_free after.delivered after.minimal lane_pairs lane_highest
    """

    unit: Literal["lanes", "pairs", "entries", "candidates", "VCs"]
    after: StateForm | None


class RepairAnswer(RelationForm):
    """JSON answer of `unknot repair`."""

    frame = "remedies"
    table = "network.name routing switching before.* remedies"

    switching: str
    before: StateForm
    remedies: list[RemedyForm]


class RepairedFaultForm(Form, of=RepairedFault):
    """A single fault and the cost of its repair."""


class FaultsRepairAnswer(RelationForm):
    """JSON answer of `unknot faults --repair`."""

    frame = "faults"
    table = "network.name routing kind lanes safe faults"

    kind: Parts
    lanes: Positive
    """Without faults."""
    safe: bool | None
    """Deadlock-free and delivering after all faults that leave the network connected; null: open."""
    faults: list[RepairedFaultForm]
    """The worst first."""
