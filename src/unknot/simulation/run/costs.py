"""The cost model of Bermond & Syska (1992) beside the times of the simulator, for a message alone in the network.

The model has two constants: β, the start-up time of a hop, and τ, the time of a flit on a channel. A message of L
flits to a terminal d channels away takes d (β + L τ) store-and-forward; cut into P packets that follow each other,
(d + P − 1)(β + (L / P) τ); and d β + L τ by wormhole switching. Virtual cut-through is the same as long as nothing is
in the way. In the simulator β is what a header takes from one router to the next, the stages of the router and the
latency of the channel (5 cycles by default), and τ is 1 cycle. The two differ in four ways:

- The model begins at the first channel and ends when the last has been crossed. The simulator also has a channel for
  injection and one for ejection, and one router more than channels: 6 cycles more by default.
- Store-and-forward waits for the tail in the first router too, so that a message takes about a hop more.
- The model adds β and L τ for each hop of store-and-forward. In a router of the simulator the time of the first flit
  is part of β, and routing goes on while the others come in: 2 cycles less for each hop if there are 2 flits or more,
  1 if there is one. By default that makes 2 L + 4 − 2 d cycles more than the model in all, or 7 − d.
- Between packets that follow each other the simulator needs no start-up time where there are VCs enough: a channel
  carries a flit a cycle.
"""

from __future__ import annotations

from dataclasses import dataclass

from unknot._base.errors import SimulationError
from unknot._base.numbers import require_whole
from unknot._base.switching import SWITCHINGS, Switching, switching_named
from unknot.routing.relation import Relation
from unknot.simulation.engine.router import DEFAULT, Router
from unknot.simulation.run.limits import ENDS, directly, zero_load_latency
from unknot.traffic import PatternLike
from unknot.traffic.workload import PACKET_LENGTH, PATTERN


@dataclass(frozen=True)
class Cost:
    """Latency of a message alone in the network, in cycles: means over the traffic.

    Attributes
    ----------
    switching : str
    flits : int
    hops : float
        Channels between source and destination, d.
    beta, tau : float
        The constants of the model that the router has.
    model : float
        By the model.
    simulated : float
        By the simulator, from creation to arrival: `zero_load_latency`.
    """

    switching: Switching
    flits: int
    hops: float
    beta: float
    tau: float
    model: float
    simulated: float


def model_time(
    switching: Switching, hops: float, flits: float, *, beta: float, tau: float = 1.0, packets: int = 1
) -> float:
    """Time of a message by the model.

    Parameters
    ----------
    switching : {"saf", "vct", "wormhole", "wormhole-nonatomic"}
    hops : float
        Channels on the way.
    flits : float
        Length of the message.
    beta, tau : float
        Start-up time of a hop, and time of a flit on a channel.
    packets : int
        Equal packets into which the message is cut under store-and-forward; the others do not depend on it.

    Raises
    ------
    SimulationError
        If a number makes no sense.
    """
    technique = switching_named(switching)
    for name, number, least in (("hops", hops, 0), ("flits", flits, 0), ("beta", beta, 0), ("tau", tau, 0)):
        if not number >= least:
            raise SimulationError(f"{name} of the cost model must be at least {least}, got {number!r}")
    require_whole("packets of the cost model", packets, 1, error=SimulationError)
    if technique != "saf":
        return hops * beta + flits * tau
    return (hops + packets - 1) * (beta + flits / packets * tau) if hops else 0.0


def costs(
    relation: Relation,
    *,
    packet_length: int = PACKET_LENGTH,
    traffic: PatternLike = PATTERN,
    router: Router = DEFAULT,
) -> tuple[Cost, ...]:
    """A message alone in the network under each switching technique, by the model and by the simulator.

    The constants of the model are the router's: β the stages and the mean latency of the channels that messages
    cross, τ the cycles of switch allocation. Buffers are deep enough for a message to flow on.

    Parameters
    ----------
    relation : Relation
    packet_length : int
        Flits of the message, which is one packet.
    traffic : str or other
        Who sends to whom, as in `simulate`.
    router : Router

    Raises
    ------
    RelationError, SimulationError
        As for `zero_load_latency`.
    """
    from unknot.verify.loads import loads

    def alone(flits: int, switching: Switching) -> float:
        return zero_load_latency(relation, packet_length=flits, switching=switching, traffic=traffic, router=router)

    hops = loads(directly(relation), traffic).mean_hops
    tau = float(router.switch_allocation_delay)
    headers = alone(1, "wormhole") - router.header_cycles - ENDS
    beta = headers / hops if hops else 0.0
    return tuple(
        Cost(
            switching=switching,
            flits=packet_length,
            hops=hops,
            beta=beta,
            tau=tau,
            model=model_time(switching, hops, packet_length, beta=beta, tau=tau),
            simulated=alone(packet_length, switching),
        )
        for switching in SWITCHINGS
    )
