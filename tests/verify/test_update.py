"""Updates of routings, beside an exploration of all moves and updates that shares nothing with the decision."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Collection
from dataclasses import replace
from itertools import permutations, product
from pathlib import Path
from random import Random
from typing import Any, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from unknot._base.deadline import Deadline
from unknot.certificates import Rejected, accept, document
from unknot.cli.answers.analyses import OrderForm
from unknot.cli.program import app
from unknot.network import Network
from unknot.network.families import irregular, line, mesh, ring
from unknot.report.repair_pages import steps_of
from unknot.routing import EJECT, Relation, dimension_order, up_down
from unknot.verify.mixture import Moment
from unknot.verify.update import update
from unknot.verify.update_search import MOST_SETS, _sets, possible_deadlock

Answers = dict[tuple[int, int], tuple[int, ...]]
"""Candidates by router and address, as VCs; −1 is ejection."""


def table_relation(network: Network, answers: Answers, vcs: int = 1) -> Relation:
    router = [*network.target.repeat(vcs).tolist(), *network.inject.tolist()]

    def rule(at: int, address: int, out: Any) -> int:
        row = answers[router[at], address]
        for i, vc in enumerate(row):
            out[i] = EJECT if vc < 0 else vc
        return len(row)

    return Relation(network, vcs, rule, name="table")


def random_answers(network: Network, choice: int, random: Random, vcs: int = 1) -> Answers:
    answers: Answers = {}
    for router, address in product(range(network.num_routers), range(network.num_terminals)):
        leaving = [
            c * vcs + k for c in range(network.num_channels) for k in range(vcs) if network.source[c] == router
        ]
        home = router == network.eject[address]
        answers[router, address] = (-1,) if home else tuple(random.sample(leaving, min(len(leaving), choice)))
    return answers


def can_deadlock(
    network: Network,
    old: Answers,
    new: Answers,
    before: Collection[int] = (),
    batch: Collection[int] | None = None,
    vcs: int = 1,
) -> bool:
    """Whether some packets can come to stand where none of them can ever move while no further router is updated.

    Routers of a batch are updated, by default all, when those before have been and all packets of then have left.
    """
    target = network.target.repeat(vcs).tolist()
    inject = network.inject.tolist()
    routers, places = range(network.num_routers) if batch is None else batch, len(target)
    start = (frozenset(before), (-1,) * places)
    seen, queue = {start}, deque([start])
    while queue:
        updated, held = queue.popleft()

        def answer(router: int, address: int, updated: frozenset[int] = updated) -> tuple[int, ...]:
            return (new if router in updated else old)[router, address]

        blocked = {v for v in range(places) if held[v] >= 0}
        while loose := {v for v in blocked if not set(answer(target[v], held[v])) <= blocked}:
            blocked -= loose
        if blocked:
            return True
        after: list[tuple[frozenset[int], tuple[int, ...]]] = [
            (updated | {router}, held) for router in routers if router not in updated
        ]
        for v, address in enumerate(held):
            if address >= 0:
                for w in answer(target[v], address):
                    if w < 0 or held[w] < 0:
                        moved = [*held]
                        moved[v] = -1
                        if w >= 0:
                            moved[w] = address
                        after.append((updated, tuple(moved)))
        for source, address in product(range(network.num_terminals), repeat=2):
            for w in answer(inject[source], address) if source != address else ():
                if w >= 0 and held[w] < 0:
                    after.append((updated, (*held[:w], address, *held[w + 1 :])))
        for state in after:
            if state not in seen:
                seen.add(state)
                queue.append(state)
    return False


def any_order(network: Network, old: Answers, new: Answers) -> bool:
    """Whether routers can be updated one by one in some order without a deadlock."""
    return any(
        not any(can_deadlock(network, old, new, order[:k], order[k : k + 1]) for k in range(len(order)))
        for order in permutations(range(network.num_routers))
    )


NETWORKS = [
    line(3),
    ring(3),
    Network("circle", 3, [0, 1, 2], [1, 2, 0]),
    Network("four", 4, [0, 1, 2, 3], [1, 2, 3, 0]),
]


@pytest.mark.sampled(1 / 2)
@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.name)
@given(seed=st.integers(0, 2**32), choice=st.sampled_from([1, 1, 2]))
def test_answers_agree_with_all_moves_and_updates(network: Network, seed: int, choice: int) -> None:
    random = Random(seed)
    old, new = (random_answers(network, choice, random) for _ in range(2))
    answer = update(table_relation(network, old), table_relation(network, new), time_limit=600)
    expected = can_deadlock(network, old, new)
    if answer.deadlock_free is not None:
        assert answer.deadlock_free == (not expected)
    if choice == 1:
        assert answer.deadlock_free is not None
    if answer.order is not None and answer.order.batches:
        before: list[int] = []
        for batch in answer.order.batches:
            assert not can_deadlock(network, old, new, before, batch)
            before += batch
    elif answer.order is not None and answer.order.complete and not answer.lost and choice == 1:
        assert not any_order(network, old, new)
    assert answer.evidence_holds in ((True,) if answer.deadlock_free is not None else (True, None))


def run(*words: str) -> Any:
    return CliRunner().invoke(app, ["check", "mesh(3, 3)", "--routing", "dimension_order", *words])


def test_the_command_says_what_happens_and_in_which_order_it_does_not(tmp_path: Path) -> None:
    other = "dimension_order(order=[1, 0])"
    evidence = tmp_path / "update.json"
    shown = run("--to", other, "--evidence", str(evidence))
    assert shown.exit_code == 1, shown.output
    assert "the deadlock lasts when all routers are updated" in shown.output
    assert "2: (2,0), (0,1)" in shown.output
    said = CliRunner().invoke(app, ["accept", str(evidence)])
    assert said.exit_code == 0
    assert "in 4 batches" in said.output
    answer = json.loads(run("--to", other, "--json").stdout)
    assert answer["to"] == other
    assert len(answer["order"]["batches"]) == 4
    assert run("--to", "dimension_order").exit_code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--to", "duato"], "dimension_order has 1 per channel, duato 2 per channel; --vcs gives both as many"),
        (["--to", "dimension_orde"], "did you mean dimension_order"),
        (["--to", "west_first", "--smallest"], "No such option: --smallest"),
        (["--to", "west_first", "--evidence", "a.v"], "FILE.json"),
    ],
)
def test_what_does_not_fit_is_refused(words: list[str], said: str) -> None:
    refused = run(*words)
    assert refused.exit_code == 2
    assert said in " ".join(refused.stderr.split())


def test_a_packet_without_a_way_is_lost() -> None:
    change = update(up_down(ring(4), root=0), up_down(ring(4), root=2))
    assert change.lost
    assert change.order is not None
    assert change.order.batches == ((2,), (3,), (1,), (0,))


def test_packets_go_round_until_the_other_router_is_updated() -> None:
    """Two routers of a ring send packets for a third one the one way before, and the other way afterwards."""
    network = ring(3)
    there = random_answers(network, 1, Random(1))
    back = dict(there)
    channel = {(int(u), int(v)): c for c, (u, v) in enumerate(zip(network.source, network.target, strict=True))}
    there[0, 2], there[1, 2] = (channel[0, 1],), (channel[1, 2],)
    back[0, 2], back[1, 2] = (channel[0, 2],), (channel[1, 0],)
    change = update(table_relation(network, there), table_relation(network, back))
    assert any(address == 2 for _, address in change.loops)


def test_steps_in_words() -> None:
    """Any order, batches, addresses to stop, and all traffic: as the update was proved."""
    by_x, by_y = dimension_order(mesh(3, 3)), dimension_order(mesh(3, 3), order=[1, 0])
    assert steps_of(update(by_x, by_x)) == ("Load the tables of the switches in any order, while traffic goes on.",)
    batches = steps_of(update(by_x, by_y))
    assert batches[0] == "Load the tables of (0,0), (1,0), in any order, `step-1.lfts`."
    assert all(step.startswith("Wait until the packets have left") for step in batches[1:])
    assert batches[-1].endswith("`tables.lfts`.")
    assert steps_of(None)[0].endswith("more than the tables of switches changes.")
    unsafe = update(dimension_order(ring(4)), up_down(ring(4)))
    assert unsafe.established.endswith("alone can deadlock")
    assert unsafe.order is not None
    assert unsafe.order.batches == ()
    assert steps_of(unsafe)[0].startswith("Send nothing to t")
    everybody = replace(unsafe.order, drained=tuple(range(4)))
    assert steps_of(replace(unsafe, order=everybody))[0].startswith("Stop all traffic")
    assert steps_of(update(up_down(ring(4)), dimension_order(ring(4))))[0].startswith("Stop all traffic")


def test_sets_of_updated_routers_begin_with_the_largest() -> None:
    assert list(_sets([2, 5, 7])) == [(2, 5, 7), (2, 5), (2, 7), (5, 7), (2,), (5,), (7,), ()]
    most = MOST_SETS.bit_length() - 1
    assert len({*_sets([*range(most)])}) == len(list(_sets([*range(most)]))) == MOST_SETS
    many = [*range(most + 1)]
    parts = [part for count in reversed(many) for part in (tuple(many[: count + 1]), tuple(many[count + 1 :]))]
    assert list(_sets(many)) == parts


def test_smallest_deadlock_of_an_update() -> None:
    """Four messages block each other; that no fewer than five do is rejected, though five do too."""
    network = irregular(12, 4, 1)
    change = update(up_down(network, root=0), up_down(network, root=7))
    assert change.smallest
    assert change.configuration is not None
    assert len(change.configuration.messages) == 4
    assert accept(document(network, None, [change.claims[0]]))
    possible = possible_deadlock(change.mixture, "vct", [], Deadline.after(60))
    larger = possible.configuration
    assert larger is not None
    assert len(larger.messages) == 5
    larger = replace(larger, reachability="scheduled")
    five = replace(change, configuration=larger, updated=tuple(sorted(possible.updated)))
    with pytest.raises(Rejected, match="fewer than 5"):
        accept(document(network, None, [five.claims[0]]))
    assert accept(document(network, None, [replace(five, smallest=False).claims[0]]))


def test_whether_a_deadlock_lasts() -> None:
    """All that messages of a ring may take by the new routing alone is held by other messages."""
    network = ring(4)
    change = update(up_down(network), dimension_order(network))
    assert change.lasts
    assert change.configuration is not None
    held = {vc for message in change.configuration.messages for vc in message.held}
    for message in change.configuration.messages:
        taken = {each.vc for each in change.mixture.new.candidates(message.held[-1], message.address)}
        assert taken <= held


def test_packets_under_way_to_drained_addresses_are_left_out_and_the_line_says_so() -> None:
    """A header to such an address follows the new routing at every router, whatever it may have done before."""
    change = update(dimension_order(ring(4)), up_down(ring(4)))
    assert change.order is not None
    (address,) = change.order.drained
    moment = Moment(updating=range(4), drained=change.order.drained)
    old, new = (0,), (1,)
    assert moment.followed(0, address, (old, new)) == (new,)
    assert moment.followed(0, address + 1, (old, new)) == (old, new)
    (words,) = get_type_hints(OrderForm, include_extras=True)["drained"].__metadata__
    assert "begin when all their packets have arrived" in words.write(["t3"], None)
    assert words.write([], None) == ""
