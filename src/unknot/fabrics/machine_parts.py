"""What topologies of machines leave out, as clouds ship them: NCCL asks the machine, a file away from one cannot.

Each part is filled in as the library does where a constant is enough (width and speed of PCIe), and otherwise from
what the file tells: the identity of a device, or the generation of its PCIe link.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from string import hexdigits
from typing import TYPE_CHECKING

from unknot._base.errors import require_known

if TYPE_CHECKING:
    from unknot.fabrics.xml_file import XmlElement

MODELS = {
    "V100": (70, 6, "8"),
    "A100": (80, 12, "16"),
    "H100": (90, 18, "32"),
    "B200": (100, 18, ""),
    "B300": (103, 18, "64"),
    "A10G": (86, 0, ""),
}
"""Compute capability, NVLinks, and GT/s of the PCIe link by which a GPU is known; empty: by none."""
IDENTITIES = {"0x1db": "V100", "0x20b": "A100", "0x233": "H100", "0x290": "B200", "0x318": "B300", "0x2237": "A10G"}
"""Models by how the device number begins, for the vendor 0x10de."""
RATES = {"2.5": 25, "5": 50, "8": 100, "16": 200, "32": 400, "64": 800}
"""Gbit/s of a NIC, by GT/s of its link of 16 lanes."""
OLD_CPU = ("6", "85")
"""Family and model of Intel's Skylake and Cascade Lake, of PCIe 3: a faster link is one of a virtual machine."""
NDV2 = ("01221000", "10210200", "22010010", "21100002", "10000122", "02001021", "00102201", "00022110")
"""NVLinks of eight V100, a row for each GPU: 0 none, 1 two, 2 a single one."""
SWITCH, GPU, NIC = "0x068000", "0x030200", "0x020700"


def completed(root: XmlElement, gpu: str = "", nic: int = 0) -> list[str]:
    """Fill in the devices of a topology, and return what was filled in, in words.

    Parameters
    ----------
    root : XmlElement
        The topology; elements and attributes are added to it.
    gpu : str
        Model of the GPUs that the file only has as PCIe devices, one of `MODELS`.
    nic : int
        Gbit/s of NICs without a speed.
    """
    if gpu:
        require_known("unknown model of a GPU", gpu, tuple(MODELS))
    said, devices = Counter[str](), list(_devices(root))
    _classes([element for element, _ in devices], said)
    plain = [one for one in devices if _has(one[0], "0x03", "0x12") and one[0].find("gpu") is None]
    known = {_model(element, cpu, gpu) for element, cpu in plain}
    model = next(iter(known)) if len(known) == 1 else ""
    taken = [int(found) for one in root.iter("gpu") if (found := one.get("dev", "")).isdecimal()]
    first, sm = max(taken, default=-1) + 1, str(MODELS.get(model, (80,))[0])
    made = [
        _inside(one, "gpu", {"dev": first + i, "rank": first + i, "sm": sm, "gdr": 1})
        for i, (one, _) in enumerate(plain)
    ]
    if made:
        what = f"{len(made)} × <gpu>: {model or 'of no known model'}, sm={sm}"
        said[what + (", gdr=1" if model else ", gdr=1 and without NVLinks")] += 1
        _linked(made, [one.get("busid", "") for one, _ in plain], MODELS.get(model, (0, 0))[1], said)
    _nics(root, devices, nic, said)
    for element, _ in devices:
        for key, usual in (("link_width", "16"), ("link_speed", "8 GT/s")):
            if element.get(key, "") in ("", "0"):
                element.set(key, usual)
                said[f"{key}={usual}"] += 1
    for cpu in root.iter("cpu"):
        for key, usual in (("arch", "x86_64"), ("vendor", "GenuineIntel"), ("familyid", "6"), ("modelid", "85")):
            if key not in cpu.attrib and (key == "arch" or cpu.get("arch") == "x86_64"):
                cpu.set(key, usual)
                said[f"{key}={usual} of <cpu>"] += 1
    return [words if count == 1 else f"{count} × {words}" for words, count in said.items()]


def _devices(root: XmlElement) -> Iterator[tuple[XmlElement, XmlElement]]:
    """PCIe devices with the CPU that each belongs to."""
    return ((element, cpu) for cpu in root.iter("cpu") for element in cpu.iter("pci"))


def _has(element: XmlElement, *kinds: str) -> bool:
    return element.get("class", "").startswith(kinds)


def _classes(devices: list[XmlElement], said: Counter[str]) -> None:
    """Give devices a missing class: switch around other devices; of the rest a power of two are GPUs."""
    unknown = [
        one for one in devices if "class" not in one.attrib and one.find("gpu") is None and one.find("nic") is None
    ]
    ends = [one for one in unknown if one.find("pci") is None]
    gpus = 1 << max(0, len(ends).bit_length() - 1)
    for one in unknown:
        kind = "0x060400" if one not in ends else GPU if ends.index(one) < gpus else NIC
        one.set("class", kind)
        said[f"class={kind}"] += 1
    for one in devices:
        one.attrib.setdefault("class", GPU if one.find("gpu") is not None else NIC)


def _model(element: XmlElement, cpu: XmlElement, gpu: str) -> str:
    """Return the model of a GPU by its identity, else by its generation of PCIe; empty: neither is in the file."""
    number = element.get("device", "").lower() if element.get("vendor") == "0x10de" else ""
    named = (model for begins, model in IDENTITIES.items() if number.startswith(begins))
    speed = _speed(element, cpu) if "link_speed" in element.attrib else "none"
    return gpu or next(named, "") or next((model for model, (*_, by) in MODELS.items() if by == speed), "")


def _speed(element: XmlElement, cpu: XmlElement) -> str:
    stated = speed_of(element)
    return "8" if (cpu.get("familyid"), cpu.get("modelid")) == OLD_CPU and stated in ("16", "32", "64") else stated


def speed_of(element: XmlElement) -> str:
    """GT/s of a PCIe link as a plain number in words; 8 where the file has none."""
    words = element.get("link_speed", "").removesuffix("PCIe").strip().removesuffix("GT/s").strip().removesuffix(".0")
    return words if words in RATES else "8"


def _inside(parent: XmlElement, tag: str, attributes: dict[str, object]) -> XmlElement:
    made = type(parent)(tag, {key: str(one) for key, one in attributes.items()})
    made.path, made.line = parent.path, parent.line
    parent.append(made)
    return made


def _linked(gpus: list[XmlElement], buses: list[str], links: int, said: Counter[str]) -> None:
    """Add NVLinks: eight V100 as in an NDv2, up to four GPUs each to each, more to a switch."""
    count = len(gpus)
    if not links or count < 2:
        return
    mesh = links == MODELS["V100"][1] and count == len(NDV2)
    for i, gpu in enumerate(gpus):
        if not mesh and count > 4:
            _inside(gpu, "nvlink", {"target": "ffff:ff:00.0", "count": links, "tclass": SWITCH})
            continue
        for j, bus in enumerate(buses):
            if i != j and (each := (0, 2, 1)[int(NDV2[i][j])] if mesh else links // (count - 1)):
                _inside(gpu, "nvlink", {"target": bus, "count": each, "tclass": GPU})
    how = "as in an NDv2" if mesh else "to a switch" if count > 4 else "each to each"
    said[f"{links} × <nvlink> of each of these GPUs, {how}"] += 1


def _nics(root: XmlElement, devices: list[tuple[XmlElement, XmlElement]], nic: int, said: Counter[str]) -> None:
    taken = [int(found) for one in root.iter("net") if (found := one.get("dev", "")).isdecimal()]
    dev = max(taken, default=-1)
    for element, cpu in devices:
        if _has(element, "0x02") and element.find("nic") is None:
            dev, rate = dev + 1, nic or RATES[_speed(element, cpu)]
            guid = "0x" + element.word("busid").replace(":", "").replace(".", "")
            if not all(digit in hexdigits for digit in guid[2:]):
                raise element.error(f"busid is hexadecimal, as 0000:3b:00.0; got {element.word('busid')[:40]!r}")
            made = {"name": f"net{dev}", "dev": dev, "speed": rate * 1000, "port": 1, "guid": guid, "gdr": 1}
            _inside(_inside(element, "nic", {}), "net", made)
            said[f"<net>: {rate} Gbit/s, gdr=1"] += 1
