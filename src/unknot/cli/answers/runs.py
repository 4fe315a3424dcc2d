"""Forms of simulations: one run under synthetic traffic or flows, several, a search for saturation."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import numpy as np

from unknot._base.quantities import By, ChannelNumber, Cycles, Load, RouterNumber, TerminalNumber, Unit
from unknot._base.switching import Switching
from unknot._base.units import Units
from unknot.cli.answers.form import FlitCount, Form, Natural, Number, Words
from unknot.cli.answers.networks import RelationForm, WithUnits
from unknot.cli.answers.words import NONZERO
from unknot.report import phrases
from unknot.routing.relation import Relation
from unknot.simulation.energy.account import EnergyRun
from unknot.simulation.engine.router import Router
from unknot.simulation.faults.fault_run import FaultRun
from unknot.simulation.run.limits import Saturation
from unknot.simulation.run.replication import Runs
from unknot.simulation.run.run import ClassRun, Run
from unknot.traffic import Pattern
from unknot.traffic.workload import Bursts, mean_length


def _by_length(shares: Any, subject: Any) -> Any:
    return dict(shares) if isinstance(shares, tuple) else shares


IfAny = Annotated[Natural, NONZERO]
Shares = Annotated[dict[str, Number], By(_by_length)]


def _router_words(options: Any, _: Any) -> str:
    return phrases.router(Router(**options))


def _bursts_words(options: Any, _: Any) -> str:
    return phrases.bursts(options and Bursts(**options)).removeprefix(", in bursts ")


def _evenness_words(index: float | None, beside: Any) -> str | None:
    least, most = beside["accepted_min"], beside["accepted_max"]
    return None if index is None else f"{index:.4g} over terminals, which accept {least:.4g} to {most:.4g}"


Evenness = Annotated[Number | None, Words(_evenness_words)]


def _stable_words(stable: bool, beside: Any) -> bool | None:
    short = {run["outcome"] for run in beside["runs"]} <= {"stable", "too short"}
    return None if short and not stable else stable


class RouterForm(Form, of=Router, said=_router_words):
    """The options of a router."""


class BurstsForm(Form, of=Bursts, said=_bursts_words):
    """Chances in a cycle: that a burst begins, and that a burst ends."""


POINT = """
    network.name routing vcs switching proof buffer_depth router flow watchdog traffic bursts
    offered_load accepted_load jain_index latency_mean latency_p50 latency_p95 latency_p99 latency_max
    network_latency_mean hops_mean dropped
    energy.pj_per_bit energy.dynamic_pj_per_bit energy.dynamic_mw energy.static_mw energy.area_mm2
    lost_packets lost_flits faults assumed intervals
    outcome reason hint
"""
"""Keys of a simulated point on the terminal."""


class ClassRunForm(Form, of=ClassRun):
    """One traffic class of a run, requests and replies together; times in cycles."""


class FaultRunForm(Form, of=FaultRun):
    """A fault of a run: losses, and latency and accepted load before and after it; all routers know of it at once."""


class EnergyForm(
    Form,
    of=EnergyRun,
    without="router_dynamic_mw router_static_mw channel_dynamic_mw channel_static_mw",
):
    """Power and area of a run while measuring; those of its routers and channels are left out."""


class RunForm(Form, of=Run, without="utilisation occupancy pairs network routing vcs"):
    """One run; the loads of its channels are left out."""

    table: ClassVar[str] = """
        seed offered_load accepted_load latency_mean latency_p99 hops_mean energy.pj_per_bit
        lost_packets lost_flits fault_delay outcome
    """

    outcome: str
    """stable, saturated, deadlock, livelock, starvation, or too short: so few cycles cannot tell."""
    jain_index: Evenness
    watchdog: IfAny
    dropped: IfAny
    lost_packets: IfAny
    lost_flits: IfAny
    fault_delay: Cycles | None
    """By how much the mean latency after the last fault exceeds that before the first; null: not known."""
    lengths: Shares
    """Lengths of packets and their shares, when there are several."""


class RunsForm(Form, of=Runs):
    """Several runs of one point, and their figures together."""

    table: ClassVar[str] = "offered_load accepted_load latency_mean latency_p99 hops_mean stable reason"

    jain_index: Evenness
    stable: Annotated[bool, Words(_stable_words)]
    stable_runs: Annotated[Natural, Words(lambda stable, beside: f"{stable} of {len(beside['runs'])}")]


class SaturationForm(Form, of=Saturation, also="lower"):
    """Saturation of a network, and the runs that were made to find it."""

    lower: Load


Rate = Annotated[Number, Unit("flit/cycle", "flits/cycle")]
"""A load of a channel or flow, beside which a key has what it is with units."""


class ChannelForm(Form):
    """Utilisation and buffer occupancy of a channel while measuring."""

    table = "channel utilisation gbit_per_s"

    channel: ChannelNumber
    utilisation: Rate
    """Flits per cycle."""
    occupancy: list[Number]
    """Mean number of flits in the buffer of each VC."""
    gbit_per_s: Number
    """What it carries; null without --units."""
    dynamic_mw: Number
    """Power by the flits that it carries; null without --energy."""
    static_mw: Number
    """Power by leakage and clocks; null without --energy."""


class RouterEnergyForm(Form):
    """Power of a router while measuring."""

    router: RouterNumber
    dynamic_mw: Number
    """Power by events."""
    static_mw: Number
    """Power by leakage and clocks."""


class FlowForm(Form):
    """A flow while measuring: what was offered and what arrived."""

    table = "source target offered accepted offered_gbit_per_s accepted_gbit_per_s packets latency_mean"

    source: TerminalNumber
    target: TerminalNumber
    offered: Rate
    """Flits per cycle."""
    accepted: Rate
    """Flits per cycle."""
    offered_gbit_per_s: Number
    """null without --units."""
    accepted_gbit_per_s: Number
    """null without --units."""
    packets: Natural
    """Packets that arrived."""
    latency_mean: Cycles
    """In cycles; null: no packet arrived."""
    latency_mean_ns: Number
    """null without --units."""


def channels_of(
    relation: Relation, run: Run, units: Units | None = None, *, busiest: bool = False
) -> list[dict[str, Any]]:
    """Return utilisation and occupancy of every channel, or of the busiest, as `ChannelForm` holds them."""
    first = relation.vcs.first
    return [
        {
            "channel": c,
            "utilisation": run.utilisation[c],
            "occupancy": run.occupancy[first[c] : first[c + 1]],
            "gbit_per_s": units and units.gbit_per_s(float(run.utilisation[c])),
            "dynamic_mw": run.energy and run.energy.channel_dynamic_mw[c],
            "static_mw": run.energy and run.energy.channel_static_mw[c],
        }
        for c in ([int(run.utilisation.argmax())] if busiest else range(run.utilisation.size))
    ]


def routers_of(run: Run) -> list[dict[str, Any]] | None:
    """Return the power of every router, as `RouterEnergyForm` holds it; None of a run without a technology."""
    if run.energy is None:
        return None
    powers = zip(run.energy.router_dynamic_mw, run.energy.router_static_mw, strict=True)
    return [{"router": r, "dynamic_mw": dynamic, "static_mw": static} for r, (dynamic, static) in enumerate(powers)]


def flows_of(run: Run, sent: Pattern, units: Units | None = None) -> list[dict[str, Any]]:
    """Return the flows of a run by pairs, the slowest first, as `FlowForm` holds them."""
    assert run.pairs is not None
    assert sent.weight is not None
    pairs, rates = run.pairs, sent.weight * run.offered_load / sent.weight.sum(axis=1).max()
    mean = mean_length(run.lengths or ((run.packet_length, 1.0),))
    flows = []
    for s, t in np.argwhere(sent.weight > 0).tolist():
        packets, latency = int(pairs.packets[s, t]), float(pairs.latency_mean[s, t])
        offered, accepted = float(rates[s, t]), packets * mean / max(1, run.measured)
        flows.append(
            {
                "source": s,
                "target": t,
                "offered": offered,
                "accepted": accepted,
                "offered_gbit_per_s": units and units.gbit_per_s(offered),
                "accepted_gbit_per_s": units and units.gbit_per_s(accepted),
                "packets": packets,
                "latency_mean": latency if packets else None,
                "latency_mean_ns": units.ns(latency) if units and packets else None,
            }
        )
    return sorted(flows, key=lambda flow: -(flow["latency_mean"] or np.inf))


class SimulatedForm(RelationForm, WithUnits):
    """A routing on a network as it was simulated."""

    vcs_chosen: bool
    """Whether no number of VCs was given to a routing that takes one: then there are 4 if they can be used."""
    proof: str
    """What is proved of the design: deadlock-free, NOT deadlock-free, open, or not asked, and why."""


class SimulateAnswer(RunForm, SimulatedForm):
    """JSON answer of `unknot simulate` for one run."""

    table = f"""
        {POINT} busiest.channel busiest.utilisation packet_length lengths packets warmup measured cycles flit_hops
        seed energy.parts energy.classes classes flows channels
    """

    ns_per_flit_hop: Number
    """Processor time, once everything is compiled."""
    hint: str
    """A change after which a short run is stable, or those that do not help; may be empty."""
    assumed: str
    """What a run with faults takes for granted; empty: there are none."""
    busiest: ChannelForm | None
    """The channel that carried most; null: there are no channels."""
    channels: list[ChannelForm] | None
    """Only with --channels or --flows."""
    routers: list[RouterEnergyForm] | None
    """Only with --channels and --energy."""
    flows: list[FlowForm] | None
    """The slowest first; only with --flows."""


class SimulateSeedsAnswer(RunsForm, SimulatedForm):
    """JSON answer of `unknot simulate --seeds`."""

    table = f"{POINT} stable stable_runs runs"

    switching: Switching
    buffer_depth: FlitCount
    traffic: str
    router: RouterForm
    bursts: BurstsForm | None
    intervals: str
    """Why there are no confidence intervals; empty: there are."""


class SimulateSaturationAnswer(SaturationForm, SimulatedForm):
    """JSON answer of `unknot simulate --saturation`."""

    table = "network.name routing vcs proof zero_load_latency lower load limit throughput runs"

    zero_load_latency: Cycles | None
    """Latency of a packet alone in the network, in cycles; null where bandwidths are not 1."""
