"""Places of packets by classes of destinations, beside places one by one."""

from __future__ import annotations

from collections.abc import Iterator

import networkx
import numpy as np
import pytest

from tests.verify.test_audit_ethernet import EXAMPLES, clos
from tests.verify.test_pfc_replay import shuffled
from unknot.fabrics.ethernet.fabric import EthernetFabric
from unknot.fabrics.ethernet.folder import read_ethernet
from unknot.routing.contract import EJECT
from unknot.routing.lossless import ANY, PfcModel, Walk
from unknot.routing.lossless_classes import ClassWalk, lossless_relation, members
from unknot.verify.adaptive_next_hops import standing, walk_stands

EXAMPLE_NAMES = ("dual-tor-two-queues", "dual-tor-one-queue", "dual-tor-remap-without-t1", "frr-two-links-down")


def fabrics(random: np.random.Generator) -> Iterator[EthernetFabric]:
    """Drawn Clos networks, some with forwarding loops, and tunnels between two ToRs with other maps."""
    yield clos(random)
    fabric = read_ethernet(EXAMPLES / str(random.choice(EXAMPLE_NAMES)))
    yield shuffled(fabric, random) if fabric.qos[0].configured else fabric


def agree(fabric: EthernetFabric) -> tuple[bool, bool]:
    """Compare, and return whether packets circle, and whether buffers can stand by any next hop."""
    model = PfcModel(fabric)
    classes, walk = ClassWalk(model), Walk(model)
    assert {place.to(one) for place, some in classes.reached.items() for one in members(some)} == {*walk.steps}
    assert {place.to(one) for place, some in classes.starts.items() for one in members(some)} == {*walk.starts}
    graph = networkx.DiGraph((place, then) for place in walk.steps for then in walk.after(place))
    parts = [part for part in networkx.strongly_connected_components(graph) if len(part) > 1]
    assert {*members(classes.circling)} == {place.destination for part in parts for place in part}
    # Buffers wait for one another as by places one by one.
    waits = {
        (vc, wanted)
        for place, hops in walk.steps.items() if (vc := walk.vc(place.channel, place.group)) is not None
        for hop in hops for wanted in walk.waits(hop)
    }  # fmt: skip
    table, vcs = lossless_relation(classes).rule.table, walk.first[-1]  # type: ignore[attr-defined]
    rows = enumerate(table.input_vc.tolist())
    found = {(vc, out) for i, vc in rows for out in table.value[table.start[i] : table.start[i + 1]].tolist()}
    assert {(vc, out) for vc, out in found if vc < vcs} == waits
    assert EJECT not in {out for _, out in found}
    one = [*walk.steps][-1].kind
    leading = classes.leading({one.to(ANY): 1 << one.destination})
    assert {kind.to(to) for kind, some in leading.items() for to in members(some)} == {
        place.kind for place in walk.leading(place for place in walk.steps if place.kind == one)
    }
    held = [
        (vc, tuple(tuple(walk.waits(hop)) for hop in hops))
        for place, hops in walk.steps.items() if (vc := walk.vc(place.channel, place.group)) is not None
    ]  # fmt: skip
    assert walk_stands(classes) == standing(held)
    return bool(parts), bool(walk_stands(classes))


def test_places_by_classes_are_those_one_by_one(seed: int) -> None:
    for fabric in fabrics(np.random.default_rng(seed)):
        agree(fabric)


@pytest.mark.campaign
def test_places_by_classes_are_those_one_by_one_on_many_fabrics() -> None:
    found = [agree(fabric) for seed in range(300) for fabric in fabrics(np.random.default_rng(seed))]
    assert all(20 < sum(column) < 580 for column in zip(*found, strict=True))
