"""Machines of GPUs: topologies of NCCL and of TACCL."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from unknot._base.errors import TextError
from unknot.fabrics import read_network
from unknot.network import Network

CPU = '<cpu numaid="{}" arch="x86_64" vendor="{}" familyid="6" modelid="85">'
PCI = '<pci busid="{}" class="0x0" link_speed="{}" link_width="{}">'
GPU = '<gpu dev="{}" sm="{}" rank="{}" gdr="1">'


def machine(links: tuple[str, str] = ("", ""), sm: int = 80, vendor: str = "GenuineIntel") -> str:
    """Two CPUs, each with a GPU behind a PCIe switch; a NIC at the first."""
    halves = []
    for i, link in enumerate(links):
        gpu = PCI.format(f"0000:1{i}:00.0", "16.0 GT/s PCIe", 16) + GPU.format(i, sm, i) + link + "</gpu></pci>"
        nic = PCI.format("0000:20:00.0", "8 GT/s", 8) + '<nic><net name="mlx5_0" dev="0" speed="100000"/></nic></pci>'
        switch = PCI.format(f"0000:0{i}:00.0", "8 GT/s", 16) + gpu + nic * (not i) + "</pci>"
        halves.append(CPU.format(i, vendor) + switch + "</cpu>")
    return f'<system version="1">{"".join(halves)}</system>\n'


def link(target: str, count: int = 2, kind: str = "0x030200", tag: str = "nvlink") -> str:
    return f'<{tag} target="{target}" count="{count}" tclass="{kind}"/>'


def read(folder: Path, text: str, name: str = "machine.xml") -> Network:
    file = folder / name
    file.write_text(text)
    return read_network(file)


def rates(network: Network) -> dict[tuple[str, str], Fraction]:
    ends = zip(network.source.tolist(), network.target.tolist(), network.bandwidth.tolist(), strict=True)
    return {
        (network.router_name(a), network.router_name(b)): Fraction(rate).limit_denominator(1000)
        for a, b, rate in ends
    }


def test_a_machine_without_links_between_gpus(tmp_path: Path) -> None:
    network = read(tmp_path, machine())
    assert [network.terminal_name(t) for t in range(network.num_terminals)] == ["gpu0", "gpu1"]
    both = {
        ("cpu0", "cpu1"): 10, ("cpu0", "0000:00:00.0"): 12, ("0000:00:00.0", "gpu0"): 24,
        ("0000:00:00.0", "mlx5_0"): 6, ("cpu1", "0000:01:00.0"): 12, ("0000:01:00.0", "gpu1"): 24,
    }  # fmt: skip
    assert rates(network) == {**both, **{(b, a): rate for (a, b), rate in both.items()}}


def test_links_between_gpus_to_a_switch_and_to_the_cpu(tmp_path: Path) -> None:
    direct = read(tmp_path, machine((link("0000:11:00.0"), link("0000:10:00.0", 3))))
    assert (rates(direct)["gpu0", "gpu1"], rates(direct)["gpu1", "gpu0"]) == (40, 60)
    switched = read(tmp_path, machine((link("ffff", 18, "0x068000"),) * 2, sm=90))
    assert rates(switched)["gpu0", "nvswitch"] == rates(switched)["nvswitch", "gpu1"] == 371  # 18 × 20.6, rounded
    assert switched.num_routers == direct.num_routers + 1
    chip = read(tmp_path, machine(('<c2c bw="44160" count="10"/>', "")))
    assert rates(chip)["gpu0", "cpu0"] == rates(chip)["cpu0", "gpu0"] == Fraction(883, 2)  # 441.6, rounded
    own = read(tmp_path, machine((link("x", 1, "0x068001"), ""), sm=70))
    assert rates(own)["cpu0", "gpu0"] == 20


def test_links_of_nothing_are_none(tmp_path: Path) -> None:
    network = read(tmp_path, machine((link("ffff", 0, "0x068000"), "")))
    assert "nvswitch" not in {name for ends in rates(network) for name in ends}
    alone = f'<system version="1">{CPU.format(0, "GenuineIntel")}{GPU.format(0, 80, 0)}</gpu></cpu></system>'
    assert rates(read(tmp_path, alone)) == {}


def test_an_amd_machine(tmp_path: Path) -> None:
    text = machine((link("0000:11:00.0", 2, "0x038000", "xgmi"), ""), vendor="AuthenticAMD")
    for arch, expected in (("gfx942", 96), ("gfx90a", 72), ("906", 48)):
        network = read(tmp_path, text.replace('sm="80"', f'sm="64" gcn="{arch}"'))
        assert rates(network)["gpu0", "gpu1"] == expected
        assert rates(network)["cpu0", "cpu1"] == 16


def test_links_of_an_mi300x_lead_to_gpus(tmp_path: Path) -> None:
    """Class 0x12 is a GPU's, too."""
    text = machine((link("0000:11:00.0", 1, "0x120000", "xgmi"), link("0000:10:00.0", 1, "0x120000", "xgmi")))
    network = read(tmp_path, text.replace('sm="80"', 'sm="304" gcn="gfx942"'))
    assert rates(network)["gpu0", "gpu1"] == rates(network)["gpu1", "gpu0"] == 48


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<system version='1'>", "no element found"),
        ('<graph version="1"/><!-- <system version= -->', "not a <graph>"),
        ('<system version="1"></system>', "there is no <gpu>"),
        (machine((link("0000:99:00.0"), "")), "<nvlink> of gpu0: there is no GPU 0000:99:00.0"),
        (machine((link("0000:11:00.0").replace('count="2"', ""), "")), "attribute 'count' is missing"),
        (machine().replace('link_width="16"', 'link_width="many"'), "link_width is a whole number"),
        (machine().replace('numaid="1"', ""), "attribute 'numaid' is missing"),
    ],
)
def test_machines_that_cannot_be_read(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(TextError, match=words):
        read(tmp_path, text)


BETAS = {"name": "made up", "gpus_per_node": 2, "alpha": 0.7, "node_betas_list": [8], "node_invbws_list": [8]}


def test_topologies_of_taccl(tmp_path: Path) -> None:
    """All pairs; an NDv2, the same both ways; and matrices, in which rows are receivers."""
    pair = read(tmp_path, json.dumps(BETAS), "topo.json")
    assert rates(pair) == {("gpu0", "gpu1"): Fraction(1, 8), ("gpu1", "gpu0"): Fraction(1, 8)}
    assert set(pair.latency.tolist()) == {700}
    ndv2 = rates(read(tmp_path, json.dumps({**BETAS, "gpus_per_node": 8, "node_betas_list": [23, 46]}), "a.taccl"))
    assert sorted(ndv2.values()) == [Fraction(1, 46)] * 16 + [Fraction(1, 23)] * 16
    assert all(ndv2[b, a] == rate for (a, b), rate in ndv2.items())
    one_way = {"gpus_per_node": 2, "alpha": 1, "links": [[0, 1], [0, 0]], "betas": [[0, 2.5], [1, 0]], "invbws": []}
    assert rates(read(tmp_path, json.dumps(one_way), "b.json")) == {("gpu1", "gpu0"): Fraction(2, 5)}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"gpus_per_node": 1}, "from 2 to 1000"), ({"gpus_per_node": "2"}, "must be a number"),
        ({"alpha": None}, "alpha must be a number"), ({"node_betas_list": []}, "matrices"),
        ({"node_betas_list": [1, 2]}, "8 GPUs, not 2"), ({"node_betas_list": [0]}, "above 0"),
        ({"links": [[0, 1]]}, "2 rows of 2"), ({"links": [[0, 1], [1, 0]]}, '"betas" must have'),
        ({"links": [[0, 1], [1, 0]], "betas": [[0, 1], ["x", 0]]}, "betas.1..0. must be a number"),
    ],
)  # fmt: skip
def test_topologies_of_taccl_that_cannot_be_read(tmp_path: Path, change: dict[str, object], words: str) -> None:
    with pytest.raises(TextError, match=words):
        read(tmp_path, json.dumps({**BETAS, **change}), "topo.json")
