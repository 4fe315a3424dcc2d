"""Technology files in small: numbers that are easy to add up by hand."""

from __future__ import annotations

OWN = """\
node = "none"
source = "by hand"
buffer_write = "2 pJ/bit"
buffer_read = "3 pJ/bit"
crossbar = "5 pJ/bit/mm"
output = "7 pJ/bit"
switch_allocation = "11 pJ"
vc_allocation = "13 pJ"
link = "17 pJ/bit/mm"
buffer_leakage = "19 uW/bit"
crossbar_leakage = "23 mW/mm2"
leakage = "29 mW/mm2"
output_clock = "31 fJ/bit"
link_clock = "37 fJ/bit/mm"
buffer_area = "41 um2/bit"
crossbar_pitch = "43 um/bit"
output_area = "47 um2/bit"
link_area = "53 um2/bit/mm"
"""

GATES = {
    "H_INVD2": 8, "W_INVD2": 3, "H_DFQD1": 8, "W_DFQD1": 16, "H_ND2D1": 8, "W_ND2D1": 3, "H_SRAM": 8, "W_SRAM": 6,
    "Vdd": 0.9, "R": 606.321, "IoffSRAM": 3.2e-7, "IoffP": 1.02e-6, "IoffN": 1.02e-6, "Cg_pwr": 5.34e-16,
    "Cd_pwr": 2.67e-16, "Cgdl": 1.068e-16, "Cg": 5.34e-16, "Cd": 2.67e-16, "LAMBDA": 0.016, "MetalPitch": 8e-5,
    "Rw": 0.720044, "Cw_gnd": 2.67339e-13, "Cw_cpl": 2.67339e-13, "wire_length": 2.0,
}  # fmt: skip
"""A 32 nm process, ITRS 2007."""

NOXIM = """\
Energy:
    Buffer: # [Depth ItemSize Leakage Push Front Pop]
        - [8, 64, 7e-3, 2e-12, 1e-12, 3e-12]
    LinkBitLine:
        - [1.0, 5e-7, 4e-14]
        - [2.0, 6e-7, 9e-14]
    Router:
        crossbar:
            - [5, 64, 1e-3, 4e-13]
        network_interface:
            - [64, 1e-4, 2e-13]
        routing:
            default:     [1e-4, 6e-14]
            XY:          [9e-4, 9e-14]
        selection:
            default:     [2e-4, 5e-14]
    Hub:
        transceiver_leakage: [4.43e-4, 1.10e-4]
        tx_attenuation_map:
            - [0, 1, 1.1]
"""


def gates() -> str:
    """The text of a technology file of BookSim."""
    return "// a process\n" + "".join(f"{key} = {number:.20f};\n" for key, number in GATES.items())
