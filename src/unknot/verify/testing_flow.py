"""Conformance check of flow controls: states of queues whose VCs share pools, as the checker of evidence reads these.

Every answer of the record's own functions is compared; nothing is shared with the search of the prover.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from unknot._base.errors import ConformanceError, RelationError, UnknotError
from unknot._base.later import WATCHED
from unknot.certificates import plain
from unknot.certificates.flow_words import pool_words
from unknot.flow_control.model import FlowControl
from unknot.routing.relation import Relation
from unknot.verify.explorer import Exploration, explored

Packet = tuple[int, int | None]
"""Address, and where a header that commits goes: −1 to leave, None where headers choose again."""
State = tuple[tuple[tuple[Packet, ...], ...], tuple[int, ...]]
"""Packets in each VC, the first in front; the VC of each pool's mark."""


class States:
    """All states to which packets of a relation can come under a flow control with pools.

    Parameters
    ----------
    relation : Relation
    flow : FlowControl
    """

    def __init__(self, relation: Relation, flow: FlowControl) -> None:
        self.relation, self.flow, self.offered = relation, flow, dict[tuple[int, int], tuple[list[int], list[int]]]()
        pools = [*map(plain.pool_of, map(pool_words, flow.pools))]
        self.pools: plain.Pools[Packet] = plain.Pools(relation.num_vcs, flow.packets, pools)
        ports = [(relation.num_vcs + int(t), a) for a in range(relation.num_addresses) for t in relation.sources(a)]
        self.ports = [port for port in ports if self.offers(*port)[1]]

    def offers(self, at: int, address: int) -> tuple[list[int], list[int]]:
        """Where a header may go, and what it waits for; −1 is to leave."""
        if (at, address) not in self.offered:
            candidates = [(-1 if c.vc is None else c.vc, c.waits) for c in self.relation.candidates(at, address)]
            waited = [v for v, waits in candidates if waits or self.relation.commits]
            self.offered[at, address] = [v for v, _ in candidates], waited
        return self.offered[at, address]

    def at(self, state: State) -> plain.Pools[Packet]:
        """The pools in a state, as the checker has them."""
        self.pools.queues, self.pools.marked = {v: [*queue] for v, queue in enumerate(state[0])}, [*state[1]]
        return self.pools

    def lets_in(self, state: State, at: int, vc: int) -> bool:
        """Whether a packet may go from an input VC or a port to a VC, by the words for its pools.

        Raises
        ------
        RelationError
            If a function of the record says otherwise, so that slots are lost or invented.
        """
        held, fits = [len(queue) for queue in state[0]], self.at(state).room(at, vc)
        if fits != self.flow.takes(held, state[1], at, vc):
            name = self.relation.vcs.name(vc)
            raise RelationError(
                f"{self.flow.name}: {'loses' if fits else 'invents'} slots of {name}: by its pools it lets a packet "
                f"{'in' if fits else 'not in'} when VCs hold {held} packets, and its function says otherwise"
            )
        return fits

    def moved(self, state: State, at: int, vc: int, packet: Packet) -> State:
        """The state after a packet went to a VC, or left (−1)."""
        pools = self.at(state)
        pools.move(packet, at, vc)
        return tuple(map(tuple, pools.queues.values())), tuple(pools.marked)

    def after(self, state: State) -> Iterator[State]:
        """States after one move of a packet, or after one was sent."""
        heads = [(at, *queue[0]) for at, queue in enumerate(state[0]) if queue]
        for at, address, choice in [*heads, *((at, address, None) for at, address in self.ports)]:
            for vc in self.offers(at, address)[0] if choice is None else [choice]:
                if vc < 0:
                    if at < len(state[0]):
                        yield self.moved(state, at, vc, (address, None))
                elif self.lets_in(state, at, vc):
                    choices = self.offers(vc, address)[0] if self.relation.commits else [None]
                    for chosen in choices or [None]:
                        yield self.moved(state, at, vc, (address, chosen))

    def stuck(self, state: State) -> bool:
        """Whether there are packets and none can go where it waits to; or a port never lets a packet in."""
        heads = [(at, *queue[0]) for at, queue in enumerate(state[0]) if queue]
        if not heads:
            return any(self.shut(state, at, address, None) for at, address in self.ports)
        ends = all(self.offers(at, address)[1] for at, address, _ in heads)
        return ends and all(self.shut(state, *head) for head in heads)

    def shut(self, state: State, at: int, address: int, choice: int | None) -> bool:
        """Whether no waited VC takes a header; of a relation that commits, whether some waited VC does not."""
        waited = self.offers(at, address)[1] if choice is None else [choice]
        opens = [vc < 0 or self.lets_in(state, at, vc) for vc in waited]
        return not (all(opens) if self.relation.commits else any(opens))

    def deadlock(self, most: int) -> Exploration[None]:
        """Search up to `most` states for a deadlock of packets; states with more packets come first."""
        start: State = ((),) * self.relation.num_vcs, tuple(pool.first for pool in self.pools.pools)

        def packets(state: State) -> int:
            return -most * sum(map(len, state[0]))

        return explored(start, lambda at: ((None, to) for to in self.after(at)), self.stuck, most, rank=packets)


SMALL: tuple[tuple[str, str], ...] = (
    *((network, "dimension_order") for network in ("line(3)", "mesh(2, 2)", "ring(3)")),
    ("ring(4, directed=true)", "dimension_order(dateline='none')"),
    ("ring(3, directed=true)", "dimension_order(vcs=2)"),
    ("ring(3)", "fully_adaptive"),
    ("mesh(2, 2)", "fully_adaptive"),
)
"""Networks and routings whose states are few."""


def check_flow_control(
    builder: Callable[..., FlowControl],
    routed: Iterable[tuple[str, str]] = SMALL,
    *,
    most_states: int = 6_000,
    **options: Any,
) -> dict[str, bool | None]:
    """Try a builder of flow control on small routed networks, for each of which it must be right or refuse.

    To refuse is to raise an `UnknotError`. Otherwise it must return a flow control of the relation, the same in a
    second call, whose functions agree with the fields of its pools; and what the prover says is compared with all
    states that packets can come to, with a search of its own, if there are pools. Then it is run in the simulator,
    where packets may block each other only where states, or the prover, say so, buffers hold no more than their
    slots, and all credits come back.

    Parameters
    ----------
    builder : callable
        Makes a `FlowControl` from a `Relation` and options.
    routed : iterable of (str, str)
        Networks and routings; by default `unknot.verify.testing_flow.SMALL`.
    most_states : int
        States up to which a network is compared; larger ones are left out.
    **options
        Given to the builder.

    Returns
    -------
    dict of str to bool or None
        Whether the routed networks are free of deadlock; None for those that were left out, of which the prover or
        the states say nothing.

    Raises
    ------
    ConformanceError
        With the network and what does not hold there, or if none was compared.

    Examples
    --------
    >>> from unknot.routing.flow_controls import damq
    >>> check_flow_control(damq, [("ring(4, directed=true)", "dimension_order(dateline='none')")], slots=1)
    {"dimension_order(dateline='none') on ring(4, directed=true)": False}
    """
    from unknot.certificates import Rejected, accept_verdict
    from unknot.routing.flow_controls.validated import validated
    from unknot.routing.named import relation_of
    from unknot.verify import check

    name, compared = getattr(builder, "__name__", "the flow control"), dict[str, bool | None]()
    for network, routing in routed:
        relation, on = relation_of(network, routing, None, what=name), f"{routing} on {network}"
        try:
            flow = builder(relation, **options)
        except UnknotError:
            continue
        try:
            if flow != builder(relation, **options):
                raise ConformanceError("made twice, it is not the same")
            pools = isinstance(flow, FlowControl) and flow.pools
            search = States(relation, flow).deadlock(most_states) if pools else None
            if search is not None and not search.complete:
                compared[on] = None
                continue
            verdict = check(relation, flow=validated(relation, flow, name))
            free = verdict.deadlock_free if search is None else search.run is None
            if verdict.deadlock_free not in (free, None):
                raise ConformanceError(
                    f"the prover says {verdict.established}; of its states {'none is' if free else 'some are'} stuck"
                )
            if verdict.deadlock_free is not None:
                accept_verdict(relation, verdict)
            if WATCHED()(relation, flow) is not None and free:
                raise ConformanceError("packets block each other for good in a run, and in none of its states")
        except (UnknotError, Rejected) as error:
            raise ConformanceError(f"{name}: {on}: {error}") from error
        compared[on] = free
    if not any(free is not None for free in compared.values()):
        raise ConformanceError(f"{name} was compared nowhere: it refuses every network, or their states are too many")
    return compared
