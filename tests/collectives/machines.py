"""Topologies of machines for tests, in the form of NCCL."""

from collections.abc import Mapping

CPU = '<cpu numaid="{}" arch="x86_64" vendor="{}" familyid="6" modelid="143">'
PCI = '<pci busid="{}" class="{}" link_speed="{}" link_width="16">'
BUS = "0000:{:02x}:00.0"


def machine(
    gpus: int = 4, links: Mapping[tuple[int, int], int] | str = "switch", *, sm: int = 80, nets: int = 0,
    cpus: int = 1,
    vendor: str = "GenuineIntel", speed: str = "32 GT/s", rate: int = 200_000, count: int = 12,
) -> str:  # fmt: skip
    """GPUs and NICs spread over CPUs; NVLinks to a switch, or by pair."""
    rows = ['<system version="1">']
    for cpu in range(cpus):
        rows.append(CPU.format(cpu, vendor))
        for gpu in range(cpu * gpus // cpus, (cpu + 1) * gpus // cpus):
            ways = {(gpu, "nvs"): count} if links == "switch" else {} if isinstance(links, str) else links
            inner = "".join(
                f'<nvlink target="{"ffff:ff:00.0" if b == "nvs" else BUS.format(16 + int(b))}" count="{n}"'
                f' tclass="{"0x068000" if b == "nvs" else "0x030200"}"/>'
                for (a, b), n in ways.items() if a == gpu and n
            )  # fmt: skip
            rows.append(PCI.format(BUS.format(16 + gpu), "0x030200", speed))
            rows.append(f'<gpu dev="{gpu}" sm="{sm}" rank="{gpu}" gdr="1">{inner}</gpu></pci>')
        for net in range(cpu * nets // cpus, (cpu + 1) * nets // cpus):
            rows.append(PCI.format(BUS.format(64 + net), "0x020700", speed))
            rows.append(
                f'<nic><net name="mlx5_{net}" dev="{net}" speed="{rate}" port="1" guid="{0x100 + net:#x}"'
                ' gdr="1"/></nic></pci>'
            )
        rows.append("</cpu>")
    return "\n".join([*rows, "</system>"]) + "\n"
