"""SONiC's dual-ToR SKUs before and after the remap of tunnelled packets, from its own templates, as audited.

``python -m benchmarks.dual_tor CLONE`` takes a clone of sonic-net/sonic-buildimage, renders four SKUs whose templates
have maps for tunnels between two ToRs, with T1s of the same vendor, and audits six switches with the routes of
``examples/ethernet/dual-tor-one-queue``: two pairs of ToRs below two T1s, a server of the first pair on standby. What
SONiC's daemons add when a switch runs is added here: lossless groups by the row of ``pg_profile_lookup.ini`` for a
port, and the tunnel, with maps where the remap is on.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.sonic_templates import ROLES, Tables, metadata, render
from unknot.fabrics.ethernet.folder import read_ethernet
from unknot.fabrics.ethernet.qos import DSCPS
from unknot.verify.audit_ethernet import audit_ethernet

EXAMPLE = Path("examples/ethernet/dual-tor-one-queue")
ARISTA_T1 = "arista/x86_64-arista_7260cx3_64/Arista-7260CX3-C64"
MELLANOX_T1 = "mellanox/x86_64-mlnx_msn4600c-r0/Mellanox-SN4600C-C64"
T1_OF = {
    "arista/x86_64-arista_7050cx3_32s/Arista-7050CX3-32S-D48C8": ARISTA_T1,
    "arista/x86_64-arista_7260cx3_64/Arista-7260CX3-D108C8": ARISTA_T1,
    MELLANOX_T1: MELLANOX_T1,
    "mellanox/x86_64-mlnx_msn4600c-r0/Mellanox-SN4600C-D48C40": MELLANOX_T1,
}
"""The SKU of the T1s above each SKU of ToRs."""
KEPT = ("LOOPBACK_INTERFACE", "PEER_SWITCH", "MUX_CABLE")
BELOW, ABOVE = ("Ethernet0", "Ethernet4", "Ethernet8", "Ethernet12"), ("Ethernet48", "Ethernet52")
"""Ports of the example that lead to servers or ToRs, and to T1s."""
MAPS = {
    "decap_dscp_to_tc_map": "AZURE_TUNNEL",
    "decap_tc_to_pg_map": "AZURE_TUNNEL",
    "encap_tc_to_queue_map": "AZURE_TUNNEL",
    "encap_tc_to_dscp_map": "AZURE_TUNNEL",
}
ROLE = {role.name: role for role in ROLES}
CASES = {
    "before": ("dual ToR", "T1"),
    "after": ("dual ToR, remap", "T1, remap"),
    "ToRs alone": ("dual ToR, remap", "T1"),
}
"""Roles of the ToRs and T1s."""


def headroom(sku: Path, port: dict[str, str], cable: str) -> dict[str, str]:
    """The profile of lossless groups of a port: the row of its speed and cable, else the first of its speed."""
    rows = [line.split() for line in (sku / "pg_profile_lookup.ini").read_text(encoding="utf-8").splitlines()]
    of_speed = [row for row in rows if row and row[0] == port.get("speed", "100000")]
    size, xon, xoff, threshold = next((row for row in of_speed if row[1] == cable), of_speed[0])[2:6]
    return {"pool": "ingress_lossless_pool", "size": size, "xon": xon, "xoff": xoff, "dynamic_th": threshold}


def configured(clone: Path, sku: Path, role: str) -> tuple[Tables, dict[str, str]]:
    """Tables of a switch, with what daemons add; and its names of the ports of the example."""
    facts = metadata(clone, sku, ROLE[role])
    ports = list(facts["PORT"])
    names = dict(zip(BELOW, ports, strict=False)) | dict(zip(ABOVE, ports[len(ports) // 2 :], strict=False))
    tables = render(clone, sku, facts)
    used = {name: tables["PORT_QOS_MAP"][name] for name in names.values() if name in tables["PORT_QOS_MAP"]}
    cables = next(iter(tables.get("CABLE_LENGTH", {"": {}}).values()))
    for name, row in used.items():
        tables["BUFFER_PROFILE"][f"lossless_{name}"] = headroom(sku, facts["PORT"][name], cables.get(name, "40m"))
        groups = tables["BUFFER_PG"]
        own = {key: groups[key] for key in groups if name in key.partition("|")[0].split(",")}
        lossless = {f"{name}|{group}": {"profile": f"lossless_{name}"} for group in row["pfc_enable"].split(",")}
        tables["BUFFER_PG"] = {key: one for key, one in groups.items() if key not in own} | lossless
    tables["PORT"] = {name: tables["PORT"][name] for name in used}
    tables["PORT_QOS_MAP"] = {"global": tables["PORT_QOS_MAP"].get("global", {})} | used
    if "ToR" in role:
        maps = MAPS if ROLE[role].remap else {}
        tables["TUNNEL"] = {"MuxTunnel0": {"dscp_mode": "pipe" if maps else "uniform", **maps}}
    return tables, names


def renamed(content: Any, names: dict[str, str]) -> Any:
    """Some JSON with other names of ports."""
    if isinstance(content, dict):
        return {names.get(key, key): renamed(inner, names) for key, inner in content.items()}
    if isinstance(content, list):
        return [renamed(inner, names) for inner in content]
    return names.get(content, content) if isinstance(content, str) else content


def write(clone: Path, sku: str, case: str, out: Path) -> None:
    """Write the folder of a SKU's fabric."""
    skus = [clone / "device" / one for one in (sku, T1_OF[sku])]
    shutil.copytree(EXAMPLE, out)
    names: dict[str, dict[str, str]] = {}
    for folder in filter(Path.is_dir, sorted(out.iterdir())):
        is_t1 = folder.name.startswith("t1")
        tables, names[folder.name] = configured(clone, skus[is_t1], CASES[case][is_t1])
        for path in sorted(folder.glob("*.json")):
            content = renamed(json.loads(path.read_text(encoding="utf-8")), names[folder.name])
            if path.name == "config_db.json":
                content = tables | {table: content[table] for table in KEPT if table in content}
            path.write_text(json.dumps(content, indent=1), encoding="utf-8")
    rows = [line.split() for line in (out / "cables.txt").read_text(encoding="utf-8").splitlines()]
    lines = [f"{a} {names[a][x]} {b} {names[b][y]}\n" for a, x, b, y in rows]
    (out / "cables.txt").write_text("".join(lines), encoding="utf-8")


def main(folder: str, kept: str | None = None) -> None:
    """Print what is answered for each SKU; with a second folder the files are kept there."""
    clone = Path(folder).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        for sku in T1_OF:
            for case in CASES:
                out = Path(kept or scratch) / sku.rpartition("/")[2] / case.replace(" ", "-")
                write(clone, sku, case, out)
                fabric = read_ethernet(out)
                for sent in (DSCPS, (3, 4)):
                    audit = audit_ethernet(fabric, dscps=sent)
                    word = {True: "free", False: "DEADLOCK", None: "open"}[audit.deadlock_free]
                    who = "hosts send any DSCP" if sent is DSCPS else "hosts send DSCP 3 and 4"
                    groups = ", ".join(sorted({name.rpartition(" ")[2] for name in audit.loop}))
                    print(f"{out.parent.name}, {case}, {who}: {word}" + (f" in group {groups}" if groups else ""))
                    for line in (*audit.losses[:1], *fabric.unread[:2]):
                        print(f"    {line[:160]}")


if __name__ == "__main__":
    main(*sys.argv[1:])
