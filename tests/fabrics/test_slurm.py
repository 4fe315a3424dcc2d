"""Slurm's files: every host once, switches of a part of the cables under one, and short forms of names."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unknot._base.errors import NetworkError, TextError
from unknot.fabrics import read_network, write_network
from unknot.fabrics.slurm import hostlist, switches_of
from unknot.network import Network, Places
from unknot.network.families import dragonfly, fat_tree, ring


def expanded(text: str) -> list[str]:
    """The names of a short form, by Slurm's rules."""
    names = []
    for prefix, inside in re.findall(r"([^\[,]+)(?:\[([^\]]*)\])?", text):
        for part in inside.split(",") if inside else [""]:
            first, _, last = part.partition("-")
            for number in range(int(first or 0), int(last or first or 0) + 1):
                names.append(f"{prefix}{number:0{len(first)}}" if inside else prefix)
    return names


@given(st.lists(st.from_regex(r"(n|rack1-n|login|a0b)[0-9]{0,3}", fullmatch=True), unique=True))
def test_short_forms_mean_the_names(names: list[str]) -> None:
    assert Counter(expanded(hostlist(names))) == Counter(names)


def test_a_fat_tree_of_three_levels(tmp_path: Path) -> None:
    path = tmp_path / "topology.conf"
    write_network(fat_tree(2, 3), path)
    assert path.read_text().splitlines()[-3:] == [
        "SwitchName=unknot1 Switches=S[0-1]",
        "SwitchName=unknot2 Switches=S[2-3]",
        "SwitchName=unknot3 Switches=unknot[1-2]",
    ]
    assert path.read_text().count("Nodes=") == 4
    write_network(fat_tree(2, 3), tmp_path / "topology.yaml")
    yaml = (tmp_path / "topology.yaml").read_text()
    assert yaml.endswith(
        "  block:\n    block_sizes: [4]\n    blocks:\n"
        "      - block: unknot1\n        nodes: H[0-3]\n      - block: unknot2\n        nodes: H[4-7]\n"
    )
    with pytest.raises(TextError, match="name no cables"):
        read_network(path)


@pytest.mark.parametrize("network", [fat_tree(3, 2), fat_tree(2, 4), dragonfly(4, 2, 1), ring(5)])
def test_every_host_is_in_the_tree_and_in_a_block_once(network: Network) -> None:
    tree, blocks = switches_of(network)
    hosts = Counter(f"H{t}" for t in range(network.num_terminals))
    assert Counter(node for _, own, leaf in tree if leaf for node in own) == hosts
    assert Counter(node for _, own, _ in blocks for node in own) == hosts
    above = Counter(name for _, own, leaf in tree if not leaf for name in own)
    assert {*above.values()} == {1}
    assert {name for name, _, _ in tree} - {*above} == {tree[-1][0]}


def test_groups_of_a_dragonfly_are_blocks() -> None:
    network = dragonfly(4, 2, 1)
    tree, blocks = switches_of(network)
    assert {len(own) for _, own, _ in blocks} == {network.num_terminals // len(blocks)}
    assert len(blocks) == len({name for name, _, leaf in tree if not leaf}) - 1


def test_adapters_of_a_host_are_one_node_and_planes_are_trees_of_their_own() -> None:
    places = Places(router_labels=("leaf 1", "leaf 2"), terminal_labels=("n1 HCA-1", "n1 HCA-2", "n2 mlx5_0"))
    tree, _ = switches_of(Network("two", 2, [], [], inject=[0, 1, 1], places=places))
    assert tree == [("leaf_1", ["n1"], True), ("leaf_2", ["n2"], True)]
    with pytest.raises(NetworkError, match="no hosts"):
        switches_of(Network("none", 1, [], [], inject=[], eject=[]))
