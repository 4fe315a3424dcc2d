"""Pauses of lossless Ethernet: headroom, watchdogs, and how far a pause that never ends reaches."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.fabrics.test_sonic import EXAMPLES, changed
from unknot._base.errors import UnknotError
from unknot.cli.program import app
from unknot.fabrics.ethernet.buffers import PortBuffers
from unknot.fabrics.ethernet.folder import read_ethernet
from unknot.routing.lossless import PfcModel, Walk
from unknot.verify.audit_ethernet import audit_ethernet
from unknot.verify.pause_headroom import headroom_needed
from unknot.verify.pause_reach import pause_reach


def test_headroom_is_the_way_there_and_back_the_response_and_the_frames_under_way() -> None:
    # 300 m there and back take 3.03 µs, which is 37,879 bytes at 100 Gb/s.
    port = PortBuffers(speed=100_000, cable=300, mtu=1500, lossless_mtu=1500)
    assert headroom_needed(port) == 37879 + 394 * 64 + 2 * 1500 + 84
    assert headroom_needed(PortBuffers(speed=100_000)) is None
    assert headroom_needed(PortBuffers(speed=123, cable=5)) is None


def test_small_headroom_and_hasty_watchdogs_are_named_and_change_no_verdict(tmp_path: Path) -> None:
    def timed(content: dict[str, Any]) -> None:
        rows = [name for name in content["PORT_QOS_MAP"] if name != "global"]
        content["PORT"] = {name: {"speed": "10000", "mtu": "9100"} for name in rows}
        content["CABLE_LENGTH"] = {"AZURE": dict.fromkeys(rows, "40m")}
        content["BUFFER_POOL"] = {"ingress_lossless_pool": {"type": "ingress", "size": "50000000"}}
        content["PFC_WD"] = {"GLOBAL": {"POLL_INTERVAL": "400"}, rows[0]: {"detection_time": "100"}}
        content["PFC_WD"][rows[1]] = {"detection_time": "300"}
        profile = next(one for one in content["BUFFER_PROFILE"].values() if "xoff" in one)
        profile["xoff"] = "20000"

    audit = audit_ethernet(changed(tmp_path, timed, "dual-tor-two-queues"))
    assert audit.holds
    text = "\n".join(audit.headroom)
    assert "priority group 3 has 20,000 bytes of headroom; 23,078 can come after a pause (10 Gb/s, 40 m" in text
    # Three switches from host to host, 50 MB each at 10 Gb/s.
    assert "acts after 100 ms, but a legal pause can last 120 ms" in text
    assert "watchdog of 300 ms looks every 400 ms only" in text


def test_reach_of_a_pause_equals_what_fills_step_by_step() -> None:
    """Naive: buffers behind fill one after the other until nothing changes."""
    for example, port in (("frr-all-links-up", "leaf0:hosts"), ("frr-two-links-down", "leaf2:hosts")):
        fabric = read_ethernet(EXAMPLES / example)
        walk, reach = Walk(PfcModel(fabric)), pause_reach(fabric, port)
        router = [fabric.network.router_name(r) for r in range(fabric.network.num_routers)].index(port[:5])
        full, stuck = set[int](), set[object]()
        while True:
            more = {
                place
                for place, hops in walk.steps.items()
                if (place.router == router and walk.model.ends(place))
                or any(vc in full for hop in hops for vc in walk.waits(hop))
            }
            full |= {vc for place in more if (vc := walk.vc(place.channel, place.group)) is not None}
            if more == stuck:
                break
            stuck = more
        assert len(reach.stopped_ports) == len(full)
        assert len(reach.stopped_hosts) == len({place.router for place in walk.starts if place in stuck})
        assert 0 < reach.stopped_flows <= reach.flows == 12


def test_a_pause_of_a_cable_and_of_what_is_no_port() -> None:
    fabric = read_ethernet(EXAMPLES / "dual-tor-two-queues")
    assert pause_reach(fabric, "tor-c:Ethernet48").stopped_hosts == ("tor-c",)
    for text in ("tor-c", "tor-x:Ethernet48", "tor-c:Ethernet99"):
        with pytest.raises(UnknotError, match=f"--paused {text}"):
            pause_reach(fabric, text)


def test_the_command_takes_a_paused_port_and_dscps() -> None:
    words = ["audit", str(EXAMPLES / "dual-tor-one-queue"), "--paused", "tor-c:Ethernet0", "--json"]
    answer = json.loads(CliRunner().invoke(app, [*words, "--dscp", "4"]).stdout)
    assert answer["reach"]["port"] == "tor-c Ethernet0"
    assert "judged for DSCP 4," in answer["assumption"]
    result = CliRunner().invoke(app, [*words, "--dscp", "64"])
    assert (result.exit_code, "DSCPs are numbers from 0 to 63" in result.stderr) == (2, True)
