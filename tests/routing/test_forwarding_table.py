from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fabrics.texts import ibnetdiscover, lfts, ring
from unknot._base.errors import RelationError, UnknotError
from unknot.fabrics import Fabric, read_fabric
from unknot.network import Network, from_edges
from unknot.routing import EJECT, forwarding_table
from unknot.routing.fabric_relation import fabric_relation
from unknot.routing.forwarding_table import DROP, EJECT_HERE, UNKNOWN_ENTRY, route_lengths
from unknot.routing.relation import VC_MASK
from unknot.routing.switchboard import TRAFFICS, destinations, switchboard
from unknot.routing.tabulate import compile_relation


def triangle() -> Network:
    return from_edges([(0, 1), (1, 2), (2, 0)], name="triangle")


def clockwise(network: Network) -> np.ndarray:  # type: ignore[type-arg]
    table = np.full((3, 3), EJECT_HERE)
    for r in range(3):
        table[r, [d for d in range(3) if d != r]] = network.between(r, (r + 1) % 3)[0]
    return table


def fabric_of(tmp_path: Path, layout) -> Fabric:  # type: ignore[no-untyped-def]
    (tmp_path / "fabric").write_text(ibnetdiscover(layout))
    (tmp_path / "tables").write_text(lfts(layout))
    return read_fabric(tmp_path)


@pytest.mark.parametrize("vcs", [1, 3])
def test_candidates_are_those_of_the_table(vcs: int) -> None:
    network = triangle()
    relation = forwarding_table(network, clockwise(network), vcs)
    for place in range(relation.num_vcs + 3):
        here = int(relation.vcs.router[place])
        for address in range(3):
            found = [c.vc for c in relation.candidates(place, address)]
            if here == address:
                assert found == [None]
            else:
                channel = network.between(here, (here + 1) % 3)[0]
                assert found == [channel * vcs + v for v in range(vcs)]


def test_the_rule_compiles_and_answers_as_in_python() -> None:
    network = triangle()
    table = clockwise(network)
    table[1, 0] = DROP
    relation = forwarding_table(network, table, 2)
    compiled = compile_relation(relation)
    assert not compiled.tabulated
    out = np.zeros(relation.max_candidates, dtype=np.int64)
    for place in range(relation.num_vcs + 3):
        for address in range(3):
            count = compiled.ctypes(place, address, out.ctypes.data)
            wanted = relation.candidates(place, address)
            assert [None if v & VC_MASK == EJECT else v for v in out[:count].tolist()] == [c.vc for c in wanted]
    with pytest.raises(RelationError, match="there is no input VC or injection port"):
        relation.refuse(99, 0)


def test_several_addresses_of_one_terminal() -> None:
    network = triangle()
    table = np.repeat(clockwise(network), 2, axis=1)
    relation = forwarding_table(
        network,
        table,
        destination=[0, 0, 1, 1, 2, 2],
        may_use=np.eye(3, 6, dtype=bool),
        address_labels=list("abcdef"),
    )
    assert relation.address_name(3) == "d"
    assert relation.sources(1).tolist() == [1]


def test_what_a_table_may_not_say() -> None:
    network = triangle()
    good = clockwise(network)
    with pytest.raises(RelationError, match=r"shape \(3 routers, 3 addresses\) is needed, got shape \(2, 3\)"):
        forwarding_table(network, good[:2])
    with pytest.raises(RelationError, match="whole numbers"):
        forwarding_table(network, good * 1.0)
    with pytest.raises(RelationError, match="2 labels for 3 addresses"):
        forwarding_table(network, good, address_labels=["a", "b"])
    for wrong in (6, -4):
        bad = good.copy()
        bad[2, 1] = wrong
        with pytest.raises(RelationError, match=f"router r2 sends address 1 to channel {wrong}"):
            forwarding_table(network, bad)
    bad = good.copy()
    bad[1, 2] = EJECT_HERE
    with pytest.raises(RelationError, match="router r1 for t2: it ejects, but the destination is at r2"):
        forwarding_table(network, bad)
    bad[1, 2] = network.between(0, 1)[0]
    with pytest.raises(RelationError, match="router r1 for t2: channel r0→r1 does not leave this router"):
        forwarding_table(network, bad)
    with pytest.raises(RelationError, match="needs at least 1"):
        forwarding_table(network, good, 0)


def test_entries_that_are_no_channels_need_no_channels() -> None:
    pair = from_edges([(0, 1), (1, 0)], name="pair")
    unknown = forwarding_table(pair, np.full((2, 2), UNKNOWN_ENTRY), vcs=1)
    assert unknown.candidates(unknown.num_vcs, 1) == []
    alone = Network("alone", 1, [], [])
    here = forwarding_table(alone, [[EJECT_HERE]], vcs=1)
    assert [c.vc for c in here.candidates(here.num_vcs, 0)] == [None]


def test_the_table_is_captured_not_shared() -> None:
    network = triangle()
    table = clockwise(network)
    relation = forwarding_table(network, table)
    before = relation.candidates(relation.num_vcs, 1)
    table[:] = DROP
    assert relation.candidates(relation.num_vcs, 1) == before


@given(data=st.data())
def test_route_lengths_agree_with_walking(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 9))
    ends = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    channels = data.draw(st.lists(ends, max_size=20))
    network = Network("random", n, [a for a, _ in channels], [b for _, b in channels])
    table = np.full((n, 2), DROP)
    for r in range(n):
        for a in range(2):
            leaving = [c for c, (source, _) in enumerate(channels) if source == r]
            table[r, a] = data.draw(st.sampled_from([EJECT_HERE, DROP, *leaving]))
    lengths = route_lengths(network, table)
    for start in range(n):
        for a in range(2):
            at, hops = start, 0
            while table[at, a] >= 0 and hops <= n:
                at, hops = channels[table[at, a]][1], hops + 1
            assert lengths[start, a] == (hops if table[at, a] == EJECT_HERE else -1)


@pytest.mark.parametrize("routers", [1, 2, 3, 4, 5, 7, 8, 9, 16, 17])
def test_routes_through_all_routers_have_their_length(routers: int) -> None:
    """Along a line from end to end, and round a ring for ever."""
    channels = [(r, (r + 1) % routers) for r in range(routers)]
    network = Network("round", routers, [a for a, _ in channels], [b for _, b in channels])
    table = np.arange(routers).reshape(-1, 1).repeat(2, axis=1)
    table[-1, 0] = EJECT_HERE
    lengths = route_lengths(network, table)
    assert lengths[:, 0].tolist() == list(range(routers - 1, -1, -1))
    assert lengths[:, 1].tolist() == [-1] * routers


def test_kinds_of_traffic(tmp_path: Path) -> None:
    fabric = fabric_of(tmp_path, ring(3, lmc=1))
    sizes = {
        "host-to-host": (3, [(0, 4), (1, 2)]),
        "host-to-switch": (6, [(0, 3)]),
        "switch-to-switch": (6, [(3, 2)]),
        "all": (6, [(0, 7), (3, 8)]),
    }
    for traffic in TRAFFICS:
        relation = fabric_relation(fabric, traffic)
        terminals, _ = sizes[traffic]
        assert relation.network.num_terminals == terminals
        assert relation.num_addresses == destinations(fabric, traffic).size
        assert relation.may_use is not None
        for t in range(terminals):
            used = [a for a in range(relation.num_addresses) if relation.may_use[t, a]]
            owners = set(relation.destination[used].tolist())
            host = t < 3
            wanted = {
                "host-to-host": {0, 1, 2} - {t},
                "host-to-switch": {3, 4, 5} if host else set(),
                "switch-to-switch": set() if host else {3, 4, 5} - {t},
                "all": {0, 1, 2, 3, 4, 5} - {t},
            }[traffic]
            assert owners == wanted
    relation = fabric_relation(fabric)
    assert relation.network is fabric.network
    assert [relation.address_name(a) for a in (0, 1)] == ["LID 0x0002 (H0)", "LID 0x0003 (H0)"]
    everything = fabric_relation(fabric, "all")
    assert everything.network.terminal_name(4) == "S1[0]"
    assert everything.address_name(8) == "LID 0x000a (S2)"


def test_entries_that_lead_nowhere_are_dropped(tmp_path: Path) -> None:
    layout = ring(3)
    layout.tables["S0"] = {1: 3, 2: 0, 3: 3, 4: 0, 5: 9, 6: 200}
    board = switchboard(fabric_of(tmp_path, layout))
    assert board.next_channel[0].tolist() == [EJECT_HERE, DROP, DROP, EJECT_HERE, DROP, DROP]
    assert board.network.channel_name(int(board.next_channel[1, 0])) == "S1[1]→S2[2]"


def test_questions_that_have_no_answer(tmp_path: Path) -> None:
    fabric = fabric_of(tmp_path, ring(3))
    with pytest.raises(UnknotError, match="did you mean host-to-host"):
        fabric_relation(fabric, "host-to-hots")
    bare = read_fabric(tmp_path / "fabric")
    with pytest.raises(UnknotError, match=r"has no forwarding tables.*unknot show"):
        fabric_relation(bare)
    layout = ring(3)
    layout.lids = {end: lid for end, lid in layout.lids.items() if end[0][0] == "H"}
    (tmp_path / "fabric").write_text(ibnetdiscover(layout))
    (tmp_path / "tables").write_text(lfts(layout))
    with pytest.raises(UnknotError, match="has no switch-to-switch traffic"):
        fabric_relation(read_fabric(tmp_path), "switch-to-switch")
