"""Forms of routes in few virtual lanes, and of remedies for a routing that can deadlock."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from unknot.cli.answers.form import (
    By,
    ChannelName,
    Form,
    Natural,
    Number,
    Positive,
    RouterName,
    TerminalName,
    Words,
    form_of,
    key,
)
from unknot.cli.answers.networks import RelationForm
from unknot.cli.answers.verdicts import DeliveryForm, VerdictForm
from unknot.lanes.changing import ChangingLanes
from unknot.lanes.figures import Lanes, LongerLanes
from unknot.lanes.forced import ForcedCycle, RouteCycle
from unknot.lanes.lane_refutation import Refutation, RouteRefutation
from unknot.repair.relaned import RepairedFault
from unknot.report.phrases import count
from unknot.verify.failures import Parts


class ForcedTurnForm(Form):
    """A channel and the next that every shortest path from one router to another takes."""

    channel: ChannelName
    following: ChannelName
    source: RouterName = key("The routers.")
    destination: RouterName = key("The routers.")


@form_of(ForcedCycle)
class ForcedCycleForm(Form):
    """Proof that one lane is impossible: forced turns that close a cycle."""

    kind: Literal["forced-cycle"] = "forced-cycle"
    lanes: Literal[1] = 1
    turns: list[ForcedTurnForm]


@form_of(Refutation)
class RefutationForm(Form):
    """Proof that a number of lanes is impossible: contradictory clauses over numbered routers and channels."""

    kind: Literal["refutation"] = "refutation"


@form_of(RouteRefutation)
class RouteRefutationForm(RefutationForm):
    """Proof that a number of lanes is impossible for given routes; pairs are of a source terminal and an address."""

    kind: Literal["route-refutation"] = "route-refutation"  # type: ignore[assignment]


class RouteTurnForm(Form):
    """A channel and the next that a given route takes."""

    channel: ChannelName
    following: ChannelName
    source: TerminalName = key("The terminal that sends.")
    address: int = key(of="destination")


@form_of(RouteCycle)
class RouteCycleForm(Form):
    """Proof that one lane is impossible for given routes: turns of these routes that close a cycle."""

    kind: Literal["route-cycle"] = "route-cycle"
    lanes: Literal[1] = 1
    turns: list[RouteTurnForm]


class TriedForm(Form):
    """A number of lanes that was not enough for the search."""

    lanes: Positive
    rounds: Natural
    pairs_left: Natural = key("Fewest pairs left without a route.")


class FrontForm(Form):
    """Routes in a number of lanes."""

    lanes: Positive
    highest_load: Number = key("The lowest that was found.")


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
        "1 impossible: each of these channels has to be followed by the next, because some pair of routers has no "
        f"other shortest path, and they close a cycle: {names}"
    )


class FewestForm(VerdictForm, DeliveryForm, RelationForm):
    """Routes in few lanes, whether packets keep them or not."""

    table: ClassVar[tuple[str, ...]] = (
        "conclusion", "network.name", "lanes", "lower_bound", "evidence", "evidence_holds", "tried", "conflicts",
        "disagreements", "changing_pairs", "levels", "deadlock_free", "established", "certificate_holds", "delivered",
        "minimal", "longest_route", "longest_pair", "single_load", "highest_load", "mean_load", "load_bound",
        "load_gap", "load_bound_holds", "worst_load", "lane_pairs", "lane_highest", "front", "moves", "complete",
        "seconds",
    )  # fmt: skip

    lanes: Positive
    fewest: bool = key("Fewer lanes are shown to be impossible.")
    conclusion: str
    evidence: Annotated[
        ForcedCycleForm | RefutationForm | RouteCycleForm | RouteRefutationForm | None, Words(why_fewer_fail)
    ]
    evidence_holds: bool | None = key("Whether the separate checker accepts it; null: none to check.")
    highest_load: Number = key("Highest load of a channel, in routes or in the units of the flows.")
    mean_load: Number = key("Mean load of the channels.")
    load_bound: Number | None = key("No shortest paths in as many lanes have a lower load; null: given paths.")
    load_gap: Number | None = key("The highest load over this bound, less 1.")
    load_bound_holds: bool | None = key("Whether the separate checker accepts this bound.")
    tried: Annotated[list[TriedForm], By(_tried)]
    conflicts: dict[str, Natural] = key(
        "Conflicts of exact searches without an answer, by number of lanes; 0: too large for one."
    )
    disagreements: list[str] = key("Open because search and checker have different answers, which is to be reported.")
    seconds: Number


UNSHOWN = ("relation", "count", "key", "sends", "given", "load", "load_evidence")


class SharedForm(Form):
    """How pairs and loads are shared out among lanes."""

    lane_pairs: list[Natural] = key("Pairs in each lane.")
    lane_highest: list[Number] = key("Highest load of a channel in each lane.")


@form_of(Lanes, without=(*UNSHOWN, "routes", "lane", "lane_load"))
class LanesAnswer(SharedForm, FewestForm):
    """JSON answer of `unknot lanes`."""

    worst_load: Number | None = key("Highest load of a channel under any permutation; null: not sought.")
    lmc: Natural = key("Each terminal has 2^LMC addresses.")
    single_load: Number | None = key("Highest load with one address for each terminal; null: there are no more.")
    front: list[FrontForm]
    history: list[FoundForm]


@form_of(ChangingLanes, without=UNSHOWN)
class LanesChangesAnswer(FewestForm):
    """JSON answer of `unknot lanes --changes …`."""


@form_of(LongerLanes, without=(*UNSHOWN, "routes", "lane", "lane_load", "worst_load", "hops", "shortest", "wanted"))
class LanesLongerAnswer(SharedForm, VerdictForm, DeliveryForm, RelationForm):
    """JSON answer of `unknot lanes --lanes K`."""

    table = (
        "conclusion", "network.name", "lanes", "mean_hops", "mean_shortest", "longest_detour", "highest_load",
        "load_bound", "load_gap", "load_bound_holds", "lane_pairs", "lane_highest", "deadlock_free", "established",
        "certificate_holds", "delivered", "minimal", "longest_route", "longest_pair", "moves", "complete",
    )  # fmt: skip

    lanes: Positive
    conclusion: str
    pairs: Natural
    longer_pairs: Natural = key("Pairs of routers whose route is longer than a shortest path.")
    mean_hops: Number
    mean_shortest: Number = key("Mean hops of shortest paths.")
    longest_detour: Natural = key("Hops that some route has more than a shortest path.")
    highest_load: Number
    load_bound: Number | None = key("No paths have a lower load; in as many lanes no shortest ones, if all are.")
    load_gap: Number | None = key("The highest load over this bound, less 1.")
    load_bound_holds: bool | None = key("Whether the separate checker accepts this bound.")


ANSWERS: dict[type, type[Form]] = {
    Lanes: LanesAnswer,
    ChangingLanes: LanesChangesAnswer,
    LongerLanes: LanesLongerAnswer,
}
"""Forms of what the searches return."""


class StateForm(Form):
    """Verdict, delivery and load of a routing."""

    deadlock_free: bool | None = key(of="verdict.deadlock_free")
    certificate_holds: bool | None = key("Whether the separate checker accepts the verdict's evidence.", of="holds")
    delivered: bool | None = key("null: there was no time to follow the routes.", of="delivery.delivered")
    minimal: bool | None = key(of="delivery.minimal")
    widest_vcs: int = key("Most VCs of a channel.")
    highest_load: Number = key(
        "Highest load of a channel under uniform traffic, in routes from terminal to terminal; null where some loop."
    )
    mean_hops: Number


class RemedyForm(Form):
    """A remedy and its cost."""

    table = (
        "kind", "cost", "unit", "lower_bound", "evidence_holds", "changed_pairs", "after.widest_vcs",
        "after.highest_load", "after.mean_hops", "after.deadlock_free", "after.delivered", "after.minimal",
        "lane_pairs", "lane_highest",
    )  # fmt: skip

    kind: str = key("Kind of change.")
    cost: Natural | None = key("Cost in units; null: the remedy is impossible.")
    unit: Literal["lanes", "pairs", "entries", "candidates", "VCs"]
    lower_bound: Natural = key("Lower bound on the cost that any such remedy needs.")
    evidence_holds: bool | None = key("Whether the checker accepts the bound; null: none to check.")
    changed_pairs: Natural | None = key("Pairs of routers whose route changes; null: not compared.")
    pairs: Positive | None
    after: StateForm | None
    lane_pairs: list[Natural] = key("Pairs of routers in each lane, where there are several.")
    lane_highest: list[Number] = key("Highest load of a channel in each lane.")


class RepairAnswer(RelationForm):
    """JSON answer of `unknot repair`."""

    table = (
        "network.name", "routing", "switching", "before.*", "remedies",
    )  # fmt: skip

    switching: str
    before: StateForm
    remedies: list[RemedyForm]


@form_of(RepairedFault)
class RepairedFaultForm(Form):
    """A single fault and the cost of its repair."""


class FaultsRepairAnswer(RelationForm):
    """JSON answer of `unknot faults --repair`."""

    table = ("network.name", "routing", "kind", "lanes", "safe", "faults")

    kind: Parts
    lanes: Positive = key("Without faults.")
    safe: bool | None = key(
        "Deadlock-free and delivering after all faults that leave the network connected; null: open."
    )
    faults: list[RepairedFaultForm] = key("The worst first.")
