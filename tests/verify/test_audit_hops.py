"""Routes against hop counts of any kind, pair by pair."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fabrics.texts import PORTS, Layout, ibnetdiscover, lfts, lid_matrix
from tests.reference.fabric_routes import follow, plain_ibnetdiscover, plain_tables
from tests.verify.test_audit import layouts
from unknot.fabrics import read_fabric
from unknot.routing.forwarding_table import route_lengths, switchboard
from unknot.verify.audit_hops import audit_hops

NO_WAY = 255


@settings(max_examples=6)
@given(layout=layouts(), data=st.data())
def test_any_matrix_agrees_with_a_walk_of_every_pair(
    tmp_path_factory: pytest.TempPathFactory, layout: Layout, data: st.DataObject
) -> None:
    """Some switches have no LID, so that the matrix says nothing of the way to them."""
    folder = tmp_path_factory.mktemp("fabric")
    switches = [node for node in layout.nodes if node[0] == "S"]
    for node in data.draw(st.sets(st.sampled_from(switches), max_size=2)):
        del layout.lids[node, 0]
    counts = st.integers(0, 4) | st.just(NO_WAY)
    known = [node for node in switches if (node, 0) in layout.lids]
    least = {(at, to): data.draw(counts) for at in switches for to in known}
    rows = {pair: [count] + [NO_WAY] * PORTS for pair, count in least.items()}
    (folder / "fabric").write_text(ibnetdiscover(layout))
    (folder / "tables").write_text(lfts(layout))
    (folder / "matrix.dump").write_text(lid_matrix(layout, rows))
    fabric = read_fabric(folder)
    if fabric.hops is None:
        return
    board = switchboard(fabric)
    found = audit_hops(fabric, board, route_lengths(fabric.network, board.next_channel))
    assert found is not None

    plain = plain_tables(plain_ibnetdiscover(folder / "fabric"), folder / "tables")
    longer, forbidden = [], 0
    for (source, lid), hops in follow(plain, "host-to-host").lengths.items():
        pair = plain.name[plain.cable[source][0]], plain.name[plain.cable[plain.lid[lid]][0]]
        forbidden += least.get(pair) == NO_WAY
        if least.get(pair, NO_WAY) < hops:
            longer.append((hops - least[pair], f"{pair[0]} to LID 0x{lid:04x} ({plain.name[plain.lid[lid][0]]})"))
    assert (found.longer_pairs, found.forbidden_pairs) == (len(longer), forbidden)
    assert found.extra_hops == max([extra for extra, _ in longer], default=0)
    worst = [words for extra, words in longer if extra == found.extra_hops]
    assert found.longest_example.partition(":")[0] in (worst or [""])
    graph = nx.Graph((a[0], b[0]) for a, b in layout.links if a[0][0] == b[0][0] == "S")
    away = dict(nx.all_pairs_shortest_path_length(graph))
    assert found.detours == sum(away.get(at, {at: 0})[to] < count < NO_WAY for (at, to), count in least.items())
