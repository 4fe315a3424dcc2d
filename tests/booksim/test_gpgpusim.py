"""Files of GPGPU-Sim's network read, with what is its own named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.booksim.files import understood, written
from unknot._base.errors import TextError
from unknot.cli.program import app
from unknot.simulation import simulate
from unknot_booksim import is_configuration

NEW = """// a crossbar for each way
use_map = 0;
flit_size = 40;
network_count = 2;
topology = fly;
k = 6;
n = 1;
routing_function = dest_tag;
num_vcs     = 1;
vc_buf_size = 64;
input_buffer_size = 256;
ejection_buffer_size = 64;
boundary_buffer_size = 64;
wait_for_tail_credit = 0;
alloc_iters  = 1;
routing_delay  = 0;
internal_speedup  = 2.0;
traffic                = uniform;
packet_size ={{1,2,3,4},{10,20}};
packet_size_rate={{1,1,1,1},{2,1}};
sim_type       = gpgpusim;
injection_rate = 0.1;
subnets = 2;
read_request_subnet = 0; read_reply_subnet = 1; write_request_subnet = 0; write_reply_subnet = 1;
read_request_begin_vc = 0; read_request_end_vc = 0; write_request_begin_vc = 0; write_request_end_vc = 0;
read_reply_begin_vc = 0; read_reply_end_vc = 0; write_reply_begin_vc = 0; write_reply_end_vc = 0;
"""
OLD = """use_map = 0; flit_size = 32; network_count = 2;
topology = fly; k = 6; n = 1; routing_function = dest_tag;
num_vcs = 1; vc_buf_size = 8; vc_alloc_delay = 0; input_speedup = 2;
traffic = gpgpusim;
injection_process = gpgpu_injector;
sim_type = latency; injection_rate = 0.1;
MATLAB_OUTPUT = 1; DISPLAY_LAT_DIST = 1; DISPLAY_HOP_DIST = 1; DISPLAY_PAIR_LATENCY = 0;
"""


def test_requests_and_replies_have_a_network_each(tmp_path: Path) -> None:
    setup = understood(tmp_path, text=NEW)
    assert is_configuration(written(tmp_path, NEW))
    assert setup.options["subnets"] == 2
    assert setup.answers == {"read_request": "read_reply", "write_request": "write_reply"}
    said = "\n".join(setup.warnings)
    for words in ("use_map", "flit_size", "ejection_buffer_size", "gpgpusim is of GPGPU-Sim; latency is taken"):
        assert words in said
    run = simulate(setup.relation, setup.load, warmup=200, measure=500, **setup.options)
    assert run.stable


def test_packets_hold_a_line_or_control_alone(tmp_path: Path) -> None:
    """Flits as GPGPU-Sim packs them: 8 bytes, or 136; keys of sizes win, and replies have the second network."""
    text = re.sub(r"\w+_subnet = \d; ?", "", NEW)
    for flit, long in ((40, 4), (32, 5), (136, 1)):
        setup = understood(tmp_path, f"flit_size={flit}", text=text)
        (one,) = setup.options["classes"]
        assert [(m.flits, m.reply, m.subnet, m.reply_subnet) for m in one.messages] == [
            (1, long, 0, 1),
            (long, 1, 0, 1),
        ]
    (said,) = [words for words in setup.warnings if "128 bytes" in words]
    assert (
        "flit_size: read_request_size=1, write_request_size=1, read_reply_size=1, write_reply_size=1, flits" in said
    )
    (one,) = understood(tmp_path, "read_reply_size=2", text=text).options["classes"]
    assert [m.reply for m in one.messages] == [2, 1]
    with pytest.raises(TextError, match="flit_size: bytes of a flit are needed, not 0"):
        understood(tmp_path, "flit_size=0", text=text)


def test_files_of_older_versions(tmp_path: Path) -> None:
    setup = understood(tmp_path, text=OLD)
    said = "\n".join(setup.warnings)
    for words in ("uniform is taken", "bernoulli is taken", "vc_alloc_delay: 0", "MATLAB_OUTPUT"):
        assert words in said
    assert setup.options["router"].vc_allocation_delay == 1


def test_its_keys_are_unknown_elsewhere_and_overrides_hold(tmp_path: Path) -> None:
    with pytest.raises(TextError, match="vc_alloc_delay"):
        understood(tmp_path, "vc_alloc_delay=0")
    assert "classes" not in understood(tmp_path, "use_read_write=0", "subnets=1", text=NEW).options


def test_nothing_is_said_of_values_that_others_replace(tmp_path: Path) -> None:
    """On the command line, or further down in the file: what holds is what is said."""
    text = OLD.replace("sim_type = latency", "sim_type = gpgpusim; sim_type = latency")
    overrides = ("traffic=neighbor", "injection_process=on_off", "vc_alloc_delay=2", "use_map=1")
    setup = understood(tmp_path, *overrides, text=text)
    assert [words for words in setup.warnings if "taken instead" in words] == []
    assert "classes" not in setup.options
    assert setup.options["traffic"].name == "neighbor"
    (said,) = [words for words in understood(tmp_path, "traffic=gpgpusim", text=NEW).warnings if "uniform" in words]
    assert said == "<command line>:1: traffic: gpgpusim is of GPGPU-Sim; uniform is taken instead"


def test_one_router_has_no_channels_to_speak_of(tmp_path: Path) -> None:
    printed = " ".join(CliRunner().invoke(app, ["run", str(written(tmp_path, OLD))]).stdout.split())
    assert "VCs none: no channel joins two routers" in printed
    assert "established no channel joins two routers, so no packet waits in the network" in printed
