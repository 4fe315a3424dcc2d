"""Signs of what is not judged yet beside the forwarding tables of a fabric, which then are not all that decides.

Switches that route adaptively choose among groups of ports, or have several tables (pLFTs), which `opensm-lfts.dump`
and `opensm.fdbs` do not show; others change the VL of packets. Signs are files of ibdiagnet with such tables (`.far`,
`.plft`, `.vl2vl`), ``PLFT_NUM`` above 0, and adaptive engines of OpenSM in its options or log.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from unknot._base.packed import read_bytes
from unknot.fabrics.fabric import Fabric

ENDINGS = {".far": "adaptive routing", ".ar": "adaptive routing", ".plft": "private tables", ".vl2vl": "VLs by VLs"}
"""Files of ibdiagnet that say more than forwarding tables, and what they are tables of."""
_UNCHANGED = b"0x01 0x23 0x45 0x67 0x89 0xab 0xcd 0xef"
"""End of a row by which VLs stay as they are."""
LARGEST = 1 << 28
"""Bytes of a file that are searched."""
_ENGINE = rb"(ar_[a-z0-9_-]+|dfp2?|kdor(?:-hc)?)"
_SIGNS = {
    "PLFT_NUM above 0": re.compile(rb"^[ \t]*PLFT_NUM[ \t]*:[ \t]*0*[1-9]", re.M),
    "the engine {}": re.compile(
        rb"^[ \t]*(?:adv_)?routing_engine[ \t=:]+(?:\S+,[ \t]*)*" + _ENGINE + rb"(?=[\s,;]|$)"
        rb"|(?:[ \t]-R|--routing_engine)[ \t=]+(?:\S+,)?" + _ENGINE + rb"(?=[\s,]|$)"
        rb"|\b" + _ENGINE + rb" tables configured on",
        re.M,
    ),
    "OpenSM's manager of adaptive routing": re.compile(
        rb"^AR Manager - Configuration cycle|^[ \t]*event_plugin_(?:name|options)[ \t]+.*\b(?:osm)?armgr\b", re.M
    ),
    "adaptive routing enabled": re.compile(
        rb"^[^#\n]*\b(?:adaptive[ _-]routing|AR)\b[^\n]{0,20}?[:= \t](?:is[ \t]+)?(?:enabled|active)\b", re.M | re.I
    ),
}
_SECTION = re.compile(rb"^START_([A-Z_]*(?:AR_INFO|ADAPTIVE|PLFT)[A-Z_]*)\r?\n(.*?)^END_", re.M | re.S)


def signs_of_adaptive_routing(path: Path) -> tuple[str, ...]:
    """Return what a file shows of adaptive routing, in words; nothing where it shows none.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "opensm.conf"
    ...     _ = file.write_text("routing_engine ar_updn")
    ...     signs_of_adaptive_routing(file)
    ...
    ('opensm.conf (the engine ar_updn)',)
    """
    content = read_bytes(path, LARGEST)
    return tuple(f"{path.name} ({sign})" for sign in dict.fromkeys(_signs(path, content)))


def is_unjudged(path: Path) -> bool:
    """Whether the name of a file is that of tables which are not judged yet."""
    return _ending(path) in ENDINGS


def _ending(path: Path) -> str:
    return (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()


def judged_as_static(fabric: Fabric) -> Fabric:
    """Return a fabric whose tables are judged alone, with a note where there are signs of adaptive routing."""
    if not fabric.adaptive:
        return fabric
    words = f"by --assume static the tables alone are judged, although there is {', '.join(fabric.adaptive)}"
    return replace(fabric, adaptive=(), groups=None, notes=(*fabric.notes, words), assumed=(*fabric.assumed, words))


def _signs(path: Path, content: bytes) -> Iterator[str]:
    rows = (line for line in content.splitlines() if line.strip() and not line.lstrip().startswith(b"#"))
    if is_unjudged(path) and any(not line.rstrip().endswith(_UNCHANGED) for line in rows):
        yield f"tables of {ENDINGS[_ending(path)]}"
    for words, pattern in _SIGNS.items():
        if match := pattern.search(content):
            yield words.format(next((group for group in match.groups() if group), b"").decode())
    for match in _SECTION.finditer(content):
        if _is_enabled(match[2]):
            yield f"section {match[1].decode()}"


def _is_enabled(section: bytes) -> bool:
    """Whether a section of a table of ibdiagnet has a row of a switch that routes adaptively."""
    head, *rows = [[word.strip().lower() for word in line.split(b",")] for line in section.splitlines() if line]
    column = next((head.index(name) for name in (b"e", b"enable", b"enabled", b"ar_enabled") if name in head), None)
    off = (b"0", b"0x0", b"n/a", b"false", b"no", b"")
    return any(column is None or (column < len(row) and row[column] not in off) for row in rows)
