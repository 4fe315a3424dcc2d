"""AS plans of folders: told by their files, stated, or open."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from unknot._base.errors import UnknotError
from unknot.cli.program import app
from unknot.fabrics.ethernet.bgp import read_bgp
from unknot.fabrics.ethernet.folder import read_ethernet
from unknot.verify.as_plans import PlanSweep, fabric_routing, survives_by
from unknot.verify.failures import Failures
from unknot.verify.fault_sweep import fault_sweep

UP = Path(__file__).parents[2] / "examples" / "ethernet" / "frr-all-links-up"
SYSTEMS = {"leaf0": 65100, "leaf1": 65101, "leaf2": 65102, "leaf3": 65103, "spine0": 65000, "spine1": 65000}
CONFIGURATION = """router bgp {}
 bgp bestpath as-path multipath-relax
 bgp bestpath compare-routerid
 neighbor to-spine0 remote-as 1
router bgp 7 vrf red
"""


def run(*words: str) -> tuple[int, str, str]:
    """Exit code, output and errors of a command."""
    result = CliRunner().invoke(app, list(words))
    return result.exit_code, result.stdout, result.stderr


def copied(tmp_path: Path) -> Path:
    """The example with all links up, in a folder of its own."""
    shutil.copytree(UP, tmp_path / "up")
    return tmp_path / "up"


def test_routes_with_all_links_up_do_not_tell_the_plan() -> None:
    """Both plans have all routes of the folder; one deadlocks after two failures, the other does not."""
    known = fabric_routing(read_ethernet(UP), "bgp")
    assert known.texts == ('bgp(plan="switch")', 'bgp(plan="rfc7938")')
    network = read_ethernet(UP).hosted
    sweeps = [fault_sweep(network, text, failures=Failures(at_once=2)) for text in known.texts]
    assert [sweep.counts.get("deadlock", 0) for sweep in sweeps] == [12, 0]


def test_the_answer_names_each_plan_and_is_no_yes() -> None:
    code, text, errors = run("faults", str(UP), "--routing", "bgp", "--json")
    answer = json.loads(text)
    assert code == 3
    assert answer["survives"] is None
    assert [
        (one["routing"], one["same_routes"], one["compared_routes"], one["survives"]) for one in answer["plans"]
    ] == [
        ('bgp(plan="switch")', 20, 20, True),
        ('bgp(plan="rfc7938")', 20, 20, True),
    ]
    assert "does not tell the AS of every switch" in errors
    assert run("faults", str(UP), "--routing", "bgp", "--at-once", "2")[0] == 1
    code, text, _ = run("faults", str(UP), "--routing", "bgp(plan='rfc7938')", "--json")
    assert (code, json.loads(text)["routing"]) == (0, 'bgp(plan="rfc7938")')
    assert run("faults", str(UP), "--routing", "bgp", "--repair")[0] == 2


def test_a_check_of_a_folder_assumes_no_plan(tmp_path: Path) -> None:
    """`check` took an AS for each switch, in silence."""
    code, _, errors = run("check", str(UP), "--routing", "bgp")
    assert code == 2
    assert "do not tell the AS of every switch" in errors
    assert run("simulate", str(UP), "--routing", "bgp", "--load", "0.1")[0] == 2
    assert run("check", str(UP), "--routing", "bgp(plan='rfc7938')")[0] == 0
    folder = copied(tmp_path)
    for switch, system in SYSTEMS.items():
        (folder / f"{switch}.frr.conf").write_text(CONFIGURATION.format(system), encoding="utf-8")
    assert run("check", str(folder), "--routing", "bgp")[0] == 0
    (folder / "leaf0.frr.conf").write_text(CONFIGURATION.format(65100) + " neighbor x allowas-in 1\n")
    code, _, errors = run("check", str(folder), "--routing", "bgp")
    assert code == 3
    assert "not read" in errors


def test_plans_that_disagree_are_open() -> None:
    fabric = read_ethernet(UP)
    good = fault_sweep(fabric.hosted, "bgp")
    bad = fault_sweep(fabric.hosted, "bgp", failures=Failures(at_once=2))
    sweeps = [PlanSweep("one", 20, 20, one) for one in (good, bad)]
    assert (survives_by(sweeps), survives_by(sweeps[:1]), survives_by(sweeps[1:])) == (None, None, False)


@pytest.mark.parametrize("kind", ["bgp.json", "frr.conf", "bgpd.conf", "config_db.json"])
def test_each_kind_of_file_tells_the_plan(kind: str, tmp_path: Path) -> None:
    folder = copied(tmp_path)
    for switch, system in SYSTEMS.items():
        text = {
            "bgp.json": json.dumps({"ipv4Unicast": {"as": system, "peers": {"x": {"remoteAs": 9}}}}),
            "config_db.json": json.dumps({"DEVICE_METADATA": {"localhost": {"bgp_asn": str(system)}}}),
        }.get(kind, CONFIGURATION.format(system))
        (folder / f"{switch}.{kind}").write_text(text, encoding="utf-8")
    known = fabric_routing(read_ethernet(folder), "bgp")
    options = ", allowas_in=0, relax=True, oldest=False" if kind.endswith(".conf") else ", allowas_in=0"
    assert known.texts == (f"bgp(plan={[*SYSTEMS.values()]}{options})",)
    untold = [] if kind.endswith(".conf") else ["how often their own AS is accepted by leaf0 from spine0"]
    assert [text.partition(",")[0] for text in known.unread] == untold
    network = read_ethernet(folder).hosted
    assert "deadlock" not in fault_sweep(network, known.texts[0], failures=Failures(at_once=2)).counts
    assert "switch" in fabric_routing(read_ethernet(folder), 'bgp(plan="switch")').texts[0]


def test_roles_and_bbr_of_sonic_tell_which_switches_accept_their_own_as(tmp_path: Path) -> None:
    """By SONiC's template: ToRs once, leaves once while BBR is on, others never."""
    folder = copied(tmp_path)
    for status, limits in (("enabled", [1, 1, 1, 1, 1, 0]), ("disabled", [1, 1, 1, 1, 0, 0])):
        for switch, system in SYSTEMS.items():
            kind = {"l": "ToRRouter", "0": "LeafRouter", "1": "SpineRouter"}[
                switch[0] if switch[0] == "l" else switch[-1]
            ]
            tables = {"DEVICE_METADATA": {"localhost": {"bgp_asn": str(system), "type": kind}}}
            tables["BGP_BBR"] = {"all": {"status": status}}
            (folder / f"{switch}.config_db.json").write_text(json.dumps(tables), encoding="utf-8")
        known = fabric_routing(read_ethernet(folder), "bgp")
        assert known.texts == (f"bgp(plan={[*SYSTEMS.values()]}, allowas_in={limits})",)
        assert not any("BBR" in text or "allowas" in text for text in known.unread)


def test_summaries_tell_how_paths_are_chosen(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    best = {"multiPathRelax": "true", "compareRouterId": "true"}
    for switch, system in SYSTEMS.items():
        text = json.dumps({"ipv4Unicast": {"as": system, "peers": {}, "bestPath": best}})
        (folder / f"{switch}.bgp.json").write_text(text, encoding="utf-8")
    fabric = read_ethernet(folder)
    assert (read_bgp(fabric).options, read_bgp(fabric).unread) == (
        {"allowas_in": 0, "relax": True, "oldest": False},
        read_bgp(fabric).unread[:1],
    )
    (folder / "leaf0.bgp.json").write_text(
        '{"as": 65100, "bestPath": {"multiPathRelax": "false", "asPathIgnore": "true"}}'
    )
    told = read_bgp(fabric)
    assert (told.options, told.unread[:1] + told.unread[2:]) == (
        {"allowas_in": 0},
        ("asPathIgnore of BGP's best path", "options of BGP, which not all switches state alike"),
    )


def test_groups_of_peers_tell_what_their_members_accept(tmp_path: Path) -> None:
    folder, routing = copied(tmp_path), []
    peers = " neighbor G peer-group\n neighbor to-spine0 interface peer-group G\n neighbor 10.0.0.1 peer-group G\n"
    for most in ("", " neighbor G allowas-in 2\n", " neighbor G allowas-in\n neighbor to-spine0 allowas-in 1\n"):
        for switch, system in SYSTEMS.items():
            (folder / f"{switch}.frr.conf").write_text(f"router bgp {system}\n{peers}{most}", encoding="utf-8")
        told = read_bgp(read_ethernet(folder))
        routing.append((told.options["allowas_in"], len(told.unread)))
    assert routing == [(0, 0), (2, 0), (3, 6)]


def test_options_that_some_switches_state_and_paths_with_the_own_as_are_not_read(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    for switch, system in SYSTEMS.items():
        more = " neighbor x allowas-in 1\n" if switch == "leaf0" else ""
        (folder / f"{switch}.frr.conf").write_text(CONFIGURATION.format(system) + more, encoding="utf-8")
    fabric = read_ethernet(folder)
    known = fabric_routing(fabric, "bgp")
    assert known.unread == ("allowas-in of leaf0, which differs by neighbour: the largest is assumed",)
    assert "allowas_in=[1, 0, 0, 0, 0, 0], relax=True" in known.texts[0]
    assert not fabric_routing(fabric, "bgp(allowas_in=1)").unread
    assert run("faults", str(folder), "--routing", "bgp(plan='rfc7938')")[0] == 3
    (folder / "spine0.config_db.json").write_text(json.dumps({"BGP_BBR": {"all": {"status": "enabled"}}}))
    assert any(text.startswith("BGP_BBR") for text in read_bgp(read_ethernet(folder)).unread)
    path = folder / "spine1.frr.conf"
    path.write_text(path.read_text().replace("compare-routerid", "med missing-as-worst"), encoding="utf-8")
    assert "options of BGP, which not all switches state alike" in fabric_routing(fabric, "bgp").unread
    (folder / "leaf1.bgp.json").write_text('{"localAS": 7}')
    with pytest.raises(UnknotError, match="the files of leaf1 tell several ASes: 7, 65101"):
        read_bgp(read_ethernet(folder))


def test_routes_that_are_not_those_computed_are_no_yes() -> None:
    """Two links are down: what the failure of a third does with all others up is no answer about this folder."""
    down = str(UP.parent / "frr-two-links-down")
    code, text, _ = run("faults", down, "--routing", "bgp(plan='switch')", "--json")
    answer = json.loads(text)
    assert (code, answer["survives"], answer["counts"]) == (3, None, {"holds": 8})
    assert "routes are not those computed" in answer["unread"][0]
