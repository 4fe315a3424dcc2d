"""Random options of router and injection."""

from __future__ import annotations

from hypothesis import strategies as st

from unknot.simulation.engine.codes import ALLOCATORS, ITERATIVE, SELECTIONS, SEPARABLE, Priority
from unknot.simulation.engine.router import Router
from unknot.traffic.workload import Bursts, Lengths

DELAY = st.sampled_from([1, 1, 1, 2, 3, 5])


@st.composite
def routers(draw: st.DrawFn, priorities: tuple[Priority, ...] = ("none", "age"), own: int = 0) -> Router:
    """Routers with about half of their options at the defaults; VCs that share slots keep at most `own` each."""
    both = [draw(st.sampled_from((*ALLOCATORS, "islip", "islip"))), draw(st.sampled_from((None, None, *ALLOCATORS)))]
    rounds = draw(st.sampled_from([1, 1, 2, 3])) if set(both) & set(ITERATIVE) else 1
    quick = draw(st.sampled_from([1, 1, 1, 2, 1.7, 3.25]), label="internal speedup")
    delay = DELAY if quick == 1 else st.just(1)
    traversal = draw(DELAY)
    own = draw(st.integers(0, own))
    allocation = [draw(delay), draw(delay)]
    pipelined = not (allocation == [1, 1] and draw(st.booleans()))
    limit = draw(st.sampled_from([0, 1, 2, 4])) if quick > 1 or (traversal > 1 and not pipelined) else 0
    selection = draw(st.sampled_from(SELECTIONS))
    return Router(
        routing_delay=draw(st.sampled_from([1, 1, 0, 2, 4] if quick == 1 else [0, 1])),
        vc_allocation_delay=allocation[0],
        switch_allocation_delay=allocation[1],
        traversal_delay=traversal,
        credit_delay=draw(st.sampled_from([0, 0, 1, 4])),
        speculative=draw(st.booleans()),
        allocator=both[0],
        switch_allocator=both[1],
        iterations=rounds,
        priority=draw(st.sampled_from(priorities)),
        selection=selection,
        hold_switch=draw(st.booleans()),
        input_speedup=draw(st.sampled_from([1, 1, 2, 3])),
        internal_speedup=quick,
        claim_credit=draw(st.booleans()),
        arbiter=draw(st.sampled_from(["round_robin", "matrix"])) if set(both) & set(SEPARABLE) else "round_robin",
        switch_arbiter=draw(st.sampled_from([None, "matrix"])) if set(both) & set(SEPARABLE) else None,
        switch_iterations=draw(st.sampled_from([None, 1, 4])) if set(both) & set(ITERATIVE) else None,
        output_buffer=limit,
        own_slots=own,
        most_slots=own + draw(st.integers(1, 6)) if own and draw(st.booleans()) else 0,
        empty_first=draw(st.booleans()),
        donate_priority=draw(st.booleans()),
        ejection_credits=draw(st.booleans()),
        pipelined=pipelined,
        all_tiers=selection == "all" and draw(st.booleans()),
        ejection=draw(st.sampled_from(["any", "same"])),
        terminals_first=draw(st.booleans()),
        first_alone=draw(st.booleans()),
    )


LENGTHS: st.SearchStrategy[Lengths] = st.one_of(
    st.integers(1, 6), st.dictionaries(st.integers(1, 6), st.floats(0.1, 5), min_size=1, max_size=4)
)
BURSTS = st.none() | st.builds(Bursts, st.sampled_from([0.05, 0.3, 1.0]), st.sampled_from([0.05, 0.2, 1.0]))
