"""Topologies as clouds ship them: what they leave out is filled in, and said."""

from pathlib import Path

import pytest

from unknot._base.errors import TextError, UnknotError
from unknot.fabrics import read_network
from unknot.fabrics.machines import read_machine

DEVICE = '<pci busid="{}:00:00.0" class="{}" {}/>'


OLD, NEW = (f'familyid="6" modelid="{model}"' for model in (85, 143))
GEN4, GEN5 = (f'link_speed="{speed} GT/s" link_width="16"' for speed in (16, 32))
BARE = "".join(f'<pci busid="0000:00:{number}.0"/>' for number in range(10, 19))


def cloud(gpus: int = 8, cpu: str = NEW, of_gpu: str = GEN5) -> str:
    """GPUs and one NIC at a CPU, without <gpu> and <nic>."""
    devices = [DEVICE.format(f"{i:04x}", "0x030200", of_gpu) for i in range(gpus)]
    inner = "".join(devices) + DEVICE.format("0101", "0x020700", GEN4)
    return f'<system version="1"><cpu numaid="0" arch="x86_64" vendor="GenuineIntel" {cpu}>{inner}</cpu></system>'


def filled(folder: Path, text: str, gpu: str = "", nic: int = 0) -> str:
    (folder / "topo.xml").write_text(text)
    return "; ".join(read_machine(folder / "topo.xml", gpu, nic)[1])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (cloud(), "8 × <gpu>: H100, sm=90, gdr=1; 18 × <nvlink> of each of these GPUs, to a switch; <net>: 200 Gb"),
        (cloud(4, "", GEN4), "4 × <gpu>: A100, sm=80, gdr=1; 12 × <nvlink> of each of these GPUs, each to each"),
        (cloud(8, OLD, GEN4), "8 × <gpu>: V100, sm=70"),
        (cloud(8, OLD, GEN4), "as in an NDv2; <net>: 100 Gbit/s"),
        (cloud(2, "", f'vendor="0x10de" device="0x20b2" {GEN5}'), "2 × <gpu>: A100"),
        (cloud(1, "", 'vendor="0x10de" device="0x2237"'), "<gpu>: A10G, sm=86"),
        (cloud(2, "", ""), "2 × <gpu>: of no known model, sm=80, gdr=1 and without NVLinks"),
        (cloud(2, "", ""), "2 × link_width=16; 2 × link_speed=8 GT/s; familyid=6 of <cpu>; modelid=85 of <cpu>"),
        (f'<system version="1"><cpu numaid="0">{BARE}</cpu></system>', "8 × class=0x030200; class=0x020700"),
    ],
)  # fmt: skip
def test_what_is_filled_in(tmp_path: Path, text: str, said: str) -> None:
    assert said in filled(tmp_path, text)


def test_models_and_rates_that_are_given(tmp_path: Path) -> None:
    assert "8 × <gpu>: V100, sm=70" in filled(tmp_path, cloud(), "V100")
    assert "<net>: 25 Gbit/s" in filled(tmp_path, cloud(), "", 25)
    with pytest.raises(UnknotError, match=r"unknown model of a GPU 'H10'.*H100"):
        filled(tmp_path, cloud(), "H10")


def test_nothing_is_said_of_a_whole_file(tmp_path: Path) -> None:
    whole = cloud(1).replace("/></cpu>", '><nic><net name="a" dev="0" speed="1000"/></nic></pci></cpu>')
    whole = whole.replace('link_width="16"/>', 'link_width="16"><gpu dev="0" sm="90" rank="0" gdr="1"/></pci>', 1)
    assert filled(tmp_path, whole) == ""


def test_a_network_is_read_with_a_note(tmp_path: Path) -> None:
    (tmp_path / "topo.xml").write_text(cloud())
    with pytest.warns(UserWarning, match="filled in, as NCCL asks the machine: 8 × <gpu>"):
        network = read_network(tmp_path / "topo.xml")
    assert network.num_terminals == 8


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (cloud()[:300], ":1:.*not well-formed|:1:.*no element found|unclosed"),
        ("<system version='1'>\n <cpu numaid='0'>\n  <pci busid=x/>\n", "topo.xml:3:14"),
        (cloud().replace("0x030200", "0x060400"), "no <gpu> in it, and no PCIe device of class 0x03"),
        (cloud().replace('busid="0101', 'busid="q'), "busid is hexadecimal"),
    ],
)  # fmt: skip
def test_damaged_files_end_in_a_place(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "topo.xml").write_text(text)
    with pytest.raises(TextError, match=words):
        read_machine(tmp_path / "topo.xml")
