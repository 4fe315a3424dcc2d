"""The order of rows, lines and files of a lossless Ethernet fabric, and where they stand, change no answer."""

from __future__ import annotations

import json
import shutil
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.fabrics.test_ethernet import frame
from unknot.fabrics.ethernet.cables import CABLES
from unknot.fabrics.ethernet.document import KINDS
from unknot.fabrics.ethernet.fabric import EthernetFabric
from unknot.fabrics.ethernet.folder import read_ethernet
from unknot.fabrics.ethernet.routes import read_cable_list
from unknot.verify.audit_ethernet import EthernetAudit, audit_ethernet

EXAMPLES = Path(__file__).parents[2] / "examples" / "ethernet"
DOWN = EXAMPLES / "frr-two-links-down"


def some_ports_without_pfc(folder: Path) -> Path:
    """Two links down, and SONiC's tables: PFC on cables and one port of hosts, none on another, none by default."""
    shutil.copytree(DOWN, folder)
    numbers = {str(n): str(n) for n in range(8)}
    dscps = {str(d): str(d) if d in (3, 4) else "1" for d in range(64)}
    maps = {
        "DSCP_TO_TC_MAP": {"AZURE": dscps, "EDGE": dict.fromkeys(dscps, "1")},
        "TC_TO_PRIORITY_GROUP_MAP": {"AZURE": {**dict.fromkeys(numbers, "0"), "3": "3", "4": "4"}},
        "TC_TO_QUEUE_MAP": {"AZURE": numbers},
        "MAP_PFC_PRIORITY_TO_QUEUE": {"AZURE": numbers},
        "TC_TO_DSCP_MAP": {"WASH": {"1": "0"}},
    }
    edge = {"dscp_to_tc_map": "EDGE", "tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE"}
    host = {**edge, "dscp_to_tc_map": "AZURE", "pfc_to_queue_map": "AZURE", "pfc_enable": "3,4"}
    ends = [end for cable in read_cable_list(folder / CABLES) for end in cable]
    for switch in {end.switch for end in ends}:
        cabled = {end.name: {**host, "tc_to_dscp_map": "WASH"} for end in ends if end.switch == switch}
        rows = {"Ethernet0": edge, **cabled, "hosts": host, "global": {"dscp_to_tc_map": "AZURE"}}
        ports = {name: {"admin_status": "up"} for name in ("Ethernet0", "Ethernet1", *cabled)}
        (folder / f"{switch}.config_db.json").write_text(json.dumps({**maps, "PORT": ports, "PORT_QOS_MAP": rows}))
    return folder


def by_lldp(folder: Path) -> Path:
    """The same, its cables by LLDP, and a host beside the switch at one port."""
    some_ports_without_pfc(folder)
    seen: dict[str, list[dict[str, Any]]] = {}
    for one, other in read_cable_list(folder / CABLES):
        for near, far in ((one, other), (other, one)):
            port = {"id": {"type": "ifname", "value": far.name}, "descr": far.name}
            seen.setdefault(near.switch, []).append({near.name: {"chassis": {far.switch: {}}, "port": port}})
    for switch, rows in seen.items():
        bare = {"chassis": {"capability": {"type": "Station"}, "id": {"type": "mac", "value": "0"}}}
        rows.append({next(iter(rows[0])): {**bare, "port": {"id": {"type": "mac", "value": "1"}}}})
        rows.append({"eth9": {"chassis": {"host": {}}, "port": {"id": {"type": "mac", "value": "2"}}}})
        (folder / f"{switch}.lldp.json").write_text(json.dumps({"lldp": {"interface": rows}}))
    (folder / CABLES).unlink()
    return folder


def by_batfish(folder: Path) -> Path:
    """The same routes in Batfish's frame."""
    folder.mkdir()
    shutil.copy(DOWN / CABLES, folder)
    (folder / "routes.csv").write_text(frame(DOWN))
    return folder


MADE = (some_ports_without_pfc, by_lldp, by_batfish)
NAMES = [*sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir()), *(make.__name__ for make in MADE)]


def folder_of(name: str, scratch: Path) -> Path:
    """A folder by its name in `NAMES`."""
    make = next((one for one in MADE if one.__name__ == name), None)
    return EXAMPLES / name if make is None else make(scratch / name)


def mixed(value: Any, random: np.random.Generator) -> Any:
    """The same value with its rows in another order."""
    if isinstance(value, dict):
        return {key: mixed(value[key], random) for key in random.permutation([*value]).tolist()}
    return [mixed(value[i], random) for i in random.permutation(len(value))] if isinstance(value, list) else value


def shuffled(folder: Path, out: Path, random: np.random.Generator) -> Path:
    """The folder with all rows and lines in another order, and files of switches under either of their names."""
    out.mkdir()
    for path in random.permutation(sorted(path for path in folder.rglob("*") if path.is_file())).tolist():
        text, to = path.read_text(encoding="utf-8"), out / path.relative_to(folder)
        if path.suffix == ".json":
            text = json.dumps(mixed(json.loads(text), random))
            kind = next(kind for kind in KINDS if path.name.endswith(kind))
            switch = path.parent.name if path.name == kind else path.name.removesuffix(f".{kind}")
            to = out / switch / kind if random.random() < 0.5 else out / f"{switch}.{kind}"
        else:
            head = 1 if path.suffix == ".csv" else 0
            lines = text.splitlines()
            lines[head:] = random.permutation(lines[head:]).tolist()
            if not head:
                lines = [" ".join(mixed_ends(line.split(), random)) for line in lines]
            text = "\n".join(lines)
        to.parent.mkdir(exist_ok=True)
        to.write_text(text, encoding="utf-8")
    return out


def mixed_ends(words: list[str], random: np.random.Generator) -> list[str]:
    """A cable from either of its ends."""
    return words if random.random() < 0.5 else words[2:] + words[:2]


def answer(audit: EthernetAudit) -> dict[str, Any]:
    """All that an audit says, without objects that are compared by identity."""
    left_out = ("fabric", "relation", "verdict")
    return {one.name: getattr(audit, one.name) for one in fields(audit) if one.name not in left_out}


def read(fabric: EthernetFabric) -> tuple[Any, ...]:
    """All that was read, without the name of the folder."""
    return fabric.ends, fabric.qos, fabric.destinations, fabric.notes, fabric.unread, fabric.edges


def shuffles(name: str, scratch: Path, seeds: range) -> None:
    """Read and audit a folder in other orders."""
    folder = folder_of(name, scratch)
    fabric = read_ethernet(folder)
    expected = answer(audit_ethernet(fabric))
    for seed in seeds:
        (scratch / f"{seed}").mkdir()
        out = shuffled(folder, scratch / f"{seed}" / folder.name, np.random.default_rng(seed))
        again = read_ethernet(out)
        assert read(again) == read(fabric), seed
        assert answer(audit_ethernet(again)) == expected, seed
        shutil.rmtree(out.parent)


@pytest.mark.sampled(1 / 3)
@pytest.mark.parametrize("name", NAMES)
def test_the_order_of_rows_lines_and_files_changes_nothing(name: str, tmp_path: Path) -> None:
    shuffles(name, tmp_path, range(1))


@pytest.mark.campaign
@pytest.mark.parametrize("name", NAMES)
def test_a_thousand_orders_change_nothing(name: str, tmp_path: Path) -> None:
    shuffles(name, tmp_path, range(1000 // len(NAMES) + 1))
