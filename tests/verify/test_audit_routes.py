"""Routes per cable and their lengths against a walk of every pair."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given

from tests.cli.test_cli import answer, unknot_says
from tests.fabrics.folders import EXAMPLES, ROUTED
from tests.fabrics.texts import Layout, ibnetdiscover, lfts
from tests.verify.test_audit import layouts
from unknot.fabrics import Fabric, read_fabric
from unknot.verify.audit_merged import routes_between_hosts


def walked(fabric: Fabric) -> tuple[Counter[int], Counter[str]]:
    """Lengths of the routes that arrive, and the routes over each cable, pair by pair."""
    network, hosts = fabric.network, fabric.network.num_terminals
    assert fabric.tables is not None
    assert network.ports is not None
    wired = {
        (int(u), int(p)): (int(v), int(q))
        for u, v, (p, q) in zip(network.source, network.target, network.ports, strict=True)
    }
    lengths: Counter[int] = Counter()
    cables: Counter[str] = Counter()
    for column, owner in enumerate(fabric.owner.tolist()):
        for source in range(hosts):
            if not 0 <= owner < hosts or owner == source:
                continue
            here, used = int(network.inject[source]), []
            while len(used) <= network.num_routers:
                port = int(fabric.tables[here, column])
                if here == network.eject[owner] and port == fabric.host_port[owner]:
                    lengths[len(used)] += 1
                    for near, far in used:
                        low, high = sorted((near, far))
                        cables[" – ".join(f"{network.router_name(r)}[{p}]" for r, p in (low, high))] += 1
                    break
                if (here, port) not in wired:
                    break
                used.append(((here, port), wired[here, port]))
                here = wired[here, port][0]
    return lengths, cables


def compare(fabric: Fabric) -> None:
    found = routes_between_hosts(fabric)
    lengths, cables = walked(fabric)
    assert {n: count for n, count in enumerate(found.lengths) if count} == dict(lengths)
    assert {cable.name: cable.routes for cable in found.cables if cable.routes} == dict(cables)
    assert [c.routes for c in found.cables] == sorted((c.routes for c in found.cables), reverse=True)


@pytest.mark.parametrize("folder", [f for f in ROUTED if "torus8x8-u" not in f.name], ids=lambda f: f.name)
def test_examples(folder: Path) -> None:
    compare(read_fabric(folder))


@given(layout=layouts())
def test_any_tables(layout: Layout) -> None:
    with TemporaryDirectory() as folder:
        (Path(folder) / "fabric").write_text(ibnetdiscover(layout))
        (Path(folder) / "tables").write_text(lfts(layout))
        compare(read_fabric(folder))


def test_the_command_shows_cables() -> None:
    folder = str(EXAMPLES / "opensm-ring12-lash")
    shown = answer(unknot_says("audit", folder, "--cables", "3", "--json"))["routes"]
    assert shown["lengths"] == [0, 24, 24, 24, 24, 24, 12]
    assert [cable["forth"] + cable["back"] for cable in shown["cables"]] == [36, 36, 36]
    assert "S0[1] – S1[2]" in unknot_says("audit", folder, "--cables", "1").output
    assert answer(unknot_says("audit", folder, "--json"))["routes"] is None
