"""SONiC's own QoS: its templates rendered for the roles of switches, its samples, and how much of it is read.

``python -m benchmarks.sonic_templates CLONE`` takes a clone of sonic-net/sonic-buildimage, renders ``qos.json.j2``
and ``buffers.json.j2`` of each hardware SKU for each role, and reads what comes out, the sample outputs of its
configuration engine and the document with which its YANG models are tested. Templates that a role does not fit do
not render, or render no JSON; these are counted apart.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import jinja2

from unknot._base.errors import UnknotError
from unknot.fabrics.ethernet.config_db import read_config_db
from unknot.fabrics.ethernet.qos import SwitchQos

BUILD = "files/build_templates"
ENGINE = "src/sonic-config-engine/tests/sample_output"
Tables = dict[str, Any]


@dataclass(frozen=True)
class Role:
    """What a switch is: facts of its metadata, and the types of its neighbours above and below."""

    name: str
    localhost: dict[str, str]
    above: str
    below: str
    remap: bool = False


_TOR, _LEAF = {"type": "ToRRouter"}, {"type": "LeafRouter"}
_DUAL = _TOR | {"subtype": "DualToR"}
_STORAGE = {"storage_device": "true"}
ROLES = (
    Role("T0", _TOR, "LeafRouter", "Server"),
    Role("T1", _LEAF, "SpineRouter", "ToRRouter"),
    Role("T2", {"type": "SpineRouter"}, "CoreRouter", "LeafRouter"),
    Role("dual ToR", _DUAL, "LeafRouter", "Server"),
    Role("dual ToR, remap", _DUAL, "LeafRouter", "Server", remap=True),
    Role("T1, remap", _LEAF, "SpineRouter", "ToRRouter", remap=True),
    Role("storage T0", {"type": "BackEndToRRouter"} | _STORAGE, "BackEndLeafRouter", "Server"),
    Role("storage T1", {"type": "BackEndLeafRouter"} | _STORAGE, "SpineRouter", "BackEndToRRouter"),
    Role(
        "AI backend T0",
        {"type": "BackEndToRRouter", "resource_type": "ComputeAI"},
        "BackEndLeafRouter",
        "Server",
    ),
)


def _number(port: str) -> int:
    return int("".join(re.findall(r"\d+$", port)) or 0) + 1024 * ("BP" in port)


def _sorted(ports: Any) -> None:
    if isinstance(ports, list):
        ports.sort(key=_number)


def ports_of(sku: Path) -> dict[str, dict[str, str]]:
    """Ports of a SKU by its ``port_config.ini``; 32 ports where it has none."""
    table, names = sku / "port_config.ini", ["name", "lanes", "alias"]
    ports: dict[str, dict[str, str]] = {}
    for line in table.read_text(encoding="utf-8").splitlines() if table.is_file() else ():
        words = line.lstrip("# ").split()
        if line.startswith("#") and "lanes" in words:
            names = words
        elif words and not line.startswith("#"):
            row = dict(zip(names, words, strict=False))
            ports[row.pop("name")] = row
    return ports or {f"Ethernet{4 * i}": {"speed": "100000"} for i in range(32)}


def metadata(clone: Path, sku: Path, role: Role) -> Tables:
    """Tables that templates look at: half of the ports lead to neighbours below the switch, the others above it."""
    ports = {name: row for name, row in ports_of(sku).items() if row.get("role", "Ext") == "Ext"}
    above = list(ports)[len(ports) // 2 :]
    neighbours = {port: f"{'above' if port in above else 'below'}{i}" for i, port in enumerate(ports)}
    platform = sku.relative_to(clone / "device").parts[1]
    localhost = {"hostname": "switch", "platform": platform, "hwsku": sku.name, "bgp_asn": "65100", **role.localhost}
    return {
        "DEVICE_METADATA": {"localhost": localhost},
        "DEVICE_NEIGHBOR": {port: {"name": name, "port": "Ethernet0"} for port, name in neighbours.items()},
        "DEVICE_NEIGHBOR_METADATA": {
            name: {"type": role.above if port in above else role.below} for port, name in neighbours.items()
        },
        "PORT": {name: {"admin_status": "up", **row} for name, row in ports.items()},
        "SYSTEM_DEFAULTS": {"tunnel_qos_remap": {"status": "enabled" if role.remap else "disabled"}},
    }


def render(clone: Path, sku: Path, tables: Tables) -> Tables:
    """Render the maps and buffers of a SKU; the second are left out where it has no template of them."""
    loader = jinja2.FileSystemLoader([sku, clone / BUILD])
    environment = jinja2.Environment(loader=loader, trim_blocks=True, extensions=["jinja2.ext.do"])
    environment.filters["sort_by_port_index"] = _sorted
    environment.globals |= {
        "template_exists": lambda name: name in loader.list_templates(),
        "is_smartswitch": False,
    }
    vendor = sku.relative_to(clone / "device").parts[0]
    # Templates import others within strings and loops, and see what the switch's database has as globals.
    facts = tables | {"asic_type": vendor if vendor in ("mellanox", "barefoot") else "broadcom"}
    made = dict(tables)
    for file in ("qos.json.j2", "buffers.json.j2"):
        if (sku / file).is_file():
            made |= json.loads(environment.get_template(file).render(facts))
    return made


def read_tables(tables: Tables) -> SwitchQos:
    """Read tables as ``config_db.json``."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "config_db.json"
        path.write_text(json.dumps(tables), encoding="utf-8")
        return read_config_db(path)


def outcome(make: Any) -> str:
    """What became of some tables, in words."""
    try:
        tables = make()
    except (jinja2.TemplateError, json.JSONDecodeError, TypeError, KeyError) as error:
        return f"template does not fit: {type(error).__name__}"
    try:
        qos = read_tables(tables)
    except UnknotError as error:
        return f"REFUSED: {str(error).splitlines()[0].partition(': ')[2]}"
    if not any(port.enabled for port in qos.ports.values()):
        return "read: no port has PFC"
    return "read" + (f": unread {'; '.join(qos.unread)}" if qos.unread else "")


def skus(clone: Path) -> list[Path]:
    """Folders with a template of QoS maps."""
    return sorted(path.parent for path in (clone / "device").rglob("qos.json.j2") if path.is_file())


def samples(clone: Path) -> Iterator[tuple[str, Any]]:
    """Sample outputs of maps, and documents of the tests of YANG models, in SONiC's own form."""
    for path in sorted((clone / ENGINE).glob("py*/*.json")):
        if path.name.startswith(("qos", "buffer")):
            yield f"{path.parent.name}/{path.name}", partial(json.loads, path.read_text(encoding="utf-8"))
    listed = clone / "src/sonic-yang-models/tests/files/sample_config_db.json"
    if listed.is_file():
        for name, tables in json.loads(listed.read_text(encoding="utf-8")).items():
            yield name, partial(dict, tables)


def main(folder: str) -> None:
    clone = Path(folder).resolve()
    count = Counter[str]()
    for sku in skus(clone):
        for role in ROLES:
            tables = partial(lambda sku, role: render(clone, sku, metadata(clone, sku, role)), sku, role)
            said = outcome(tables)
            count[said] += 1
            if said.startswith("REFUSED"):
                print(f"{sku.relative_to(clone)}, {role.name}: {said}")
    print(f"{len(skus(clone))} SKUs in {len(ROLES)} roles:")
    for said, number in count.most_common():
        print(f"{number:6}  {said}")
    print("samples:")
    for name, make in samples(clone):
        print(f"        {name}: {outcome(make)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
