"""The keys of BookSim 2 (commit 28f43299), from the page of the docs that has them all, `keys.md`.

24 further keys belong to the technology file of its power model, which is another file: `POWER_KEYS`.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Literal, NamedTuple, cast

Kind = Literal["int", "float", "str", "ints", "floats", "strs"]


class Key(NamedTuple):
    """Type and default of a key, and its counterpart.

    Attributes
    ----------
    kind : str
        Of its value; the plurals also take a list in braces, one value for each traffic class.
    default : str
        As it would be written in a file.
    words : str
        The counterpart here, or why there is none.
    """

    kind: Kind
    default: str
    words: str


PAGE = files("unknot.studies.booksim").joinpath("keys.md").read_text(encoding="utf-8")
KEYS: dict[str, Key] = {}
for _row in PAGE.splitlines():
    if _row.startswith("| `"):
        _key, _kind, _default, _, _words = _row.strip("| ").split(" | ")
        KEYS[_key.strip("`")] = Key(cast(Kind, _kind), _default.strip(" `"), _words)

POWER_KEYS = {
    "H_INVD2", "W_INVD2", "H_DFQD1", "W_DFQD1", "H_ND2D1", "W_ND2D1", "H_SRAM", "W_SRAM", "Vdd", "R", "IoffSRAM",
    "IoffP", "IoffN", "Cg_pwr", "Cd_pwr", "Cgdl", "Cg", "Cd", "LAMBDA", "MetalPitch", "Rw", "Cw_gnd", "Cw_cpl",
    "wire_length",
}  # fmt: skip
"""Keys of the technology file that `tech_file` names."""
