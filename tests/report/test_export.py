"""Verilog, simulated against the relation, and weights for Garnet."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from unknot._base.errors import RelationError
from unknot.lane_assignment import lanes
from unknot.network.families import mesh, ring
from unknot.report.export import entries, export
from unknot.routing import Relation, dimension_order, duato, shortest_paths
from unknot.routing.named import routing

needs_iverilog = pytest.mark.skipif(
    shutil.which("iverilog") is None, reason="Icarus Verilog is not installed (Debian package iverilog)"
)


def simulated(relation: Relation, folder: Path) -> dict[tuple[int, int, int], tuple[int, int]]:
    """What the Verilog module answers for every router, input and address."""
    file = folder / "routes.v"
    export(relation, file)
    network = relation.network
    inputs = [[at for at, r in enumerate(relation.vcs.router.tolist()) if r == u] for u in range(network.num_routers)]
    parts = []
    for u in range(network.num_routers):
        parts.append(f"wire [63:0] o{u}; wire [63:0] w{u}; routes #({u}) r{u} (from, address, o{u}, w{u});")
    steps = [
        f'from = {i}; address = {a}; #1 $display("{u} {i} {a} %h %h", o{u}, w{u});'
        for u in range(network.num_routers)
        for i in range(len(inputs[u]))
        for a in range(relation.num_addresses)
    ]
    bench = folder / "bench.v"
    bench.write_text(
        "module bench; reg [31:0] from; reg [31:0] address;\n"
        + "\n".join(parts)
        + "\ninitial begin\n"
        + "\n".join(steps)
        + "\nend endmodule\n"
    )
    program = folder / "bench.vvp"
    subprocess.run(["iverilog", "-g2005", "-o", program, bench, file], check=True, capture_output=True)
    out = subprocess.run(["vvp", program], check=True, capture_output=True, text=True).stdout
    found = {}
    for line in out.splitlines():
        u, i, a, offered, waits = line.split()
        offered, waits = (x.replace("z", "0") for x in (offered, waits))
        if int(offered, 16) or int(waits, 16):
            found[int(u), inputs[int(u)][int(i)], int(a)] = (int(offered, 16), int(waits, 16))
    return found


@needs_iverilog
@pytest.mark.parametrize(
    "relation",
    [
        dimension_order(mesh(3, 2)),
        duato(mesh(2, 3)),
        lanes("ring(5)").relation,
        routing(mesh(2, 2), "overlay", 2),
    ],
    ids=lambda relation: relation.name,
)
def test_verilog_answers_as_the_relation(relation: Relation, tmp_path: Path) -> None:
    network, vcs = relation.network, relation.vcs
    leaving = [
        [vc for vc, c in enumerate(vcs.channel.tolist()) if network.source[c] == u]
        for u in range(network.num_routers)
    ]
    outputs = 1 + max(map(len, leaving))
    wanted = {}
    for router, at, address, found in entries(relation):
        offered = waits = 0
        for vc, tier, waited in found:
            bit = outputs - 1 if vc is None else leaving[router].index(vc)
            offered |= 1 << (bit + tier * outputs)
            waits |= int(waited) << bit
        wanted[router, at, address] = (offered, waits)
    assert simulated(relation, tmp_path) == wanted


def test_verilog_needs_no_simulator(tmp_path: Path) -> None:
    export(dimension_order(mesh(2)), tmp_path / "routes.v")
    text = (tmp_path / "routes.v").read_text()
    assert "module routes #(parameter ROUTER = 0)" in text
    assert "// output 0: r0→r1" in text or "// output 0: (0)→(1)" in text
    assert text.count("begin : router_") == 2


def test_tables_of_switches_are_refused_by_name(tmp_path: Path) -> None:
    for name in ("lanes.slvl", "lanes.SL2VL", "tables.lfts"):
        with pytest.raises(RelationError, match=r"qos_swe_sl2vl.*repair FABRIC --out"):
            export(shortest_paths(ring(5)), tmp_path / name)
        assert not (tmp_path / name).exists()
