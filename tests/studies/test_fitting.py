"""Networks that fit a number of hosts and switches with a number of ports."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from unknot._base.errors import NetworkError, TextError
from unknot.cli.program import app
from unknot.fabrics.named import network
from unknot.network import components
from unknot.studies.fitting import expanded, fitting


@given(st.integers(2, 400), st.integers(8, 40))
@settings(max_examples=7, deadline=None)
def test_networks_have_room_and_no_switch_too_many_ports(hosts, ports):
    for text in fitting(hosts, ports):
        made = network(text)
        used = np.bincount(made.source, minlength=made.num_routers)
        used += np.bincount(made.inject, minlength=made.num_routers)
        assert made.num_terminals >= hosts, text
        assert used.max() <= ports, text
        assert components(made)[1] == 1, text


def test_a_cluster_of_a_thousand_hosts():
    """By hand: 32 leaves of 32 hosts and 32 spines; a dragonfly of two groups of 32 switches with 16 hosts."""
    assert {"xgft([32, 32], [1, 32])", "dragonfly(32, 16, 16, 2)"} <= set(fitting(1024, 64))


def test_designs_are_put_in_place_of_hosts():
    assert expanded(["ring(4)", "hosts(64, ports=16)"])[1:] == fitting(64, 16)
    with pytest.raises(TextError, match="no option 'port'"):
        expanded(["hosts(64, port=16)"])
    with pytest.raises(NetworkError, match="no family has 5000 hosts"):
        expanded(["hosts(5000, 3)"])


def test_the_command_compares_them():
    shown = CliRunner().invoke(
        app, ["compare", "hosts(12, ports=8)", "--prices", "examples/prices-800g.toml", "--json"]
    )
    assert shown.exit_code == 0, shown.stderr
    assert '"xgft([4, 3], [1, 4])"' in shown.stdout
