"""Headroom of SONiC's own profiles beside what can come after a pause.

``python -m benchmarks.headroom CLONE`` takes a clone of sonic-net/sonic-buildimage and reads each
``pg_profile_lookup.ini``: speed, cable and the bytes after a pause.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from unknot.fabrics.ethernet.buffers import PortBuffers
from unknot.verify.pause_headroom import headroom_needed

FRAMES = ((9100, 9100), (9100, 4200), (1500, 1500))
"""Bytes of the largest frame of any class, and of a lossless one."""


def rows_of(clone: Path) -> set[tuple[int, int, int]]:
    """Speed, cable and headroom of all rows."""
    rows = set()
    for path in (clone / "device").rglob("pg_profile_lookup.ini"):
        for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else ():
            words = line.split("#")[0].split()
            if len(words) >= 6 and words[0].isdigit():
                rows.add((int(words[0]), int(words[1].rstrip("m")), int(words[4])))
    return rows


def main(folder: str) -> None:
    """Print the number of rows with enough headroom for each kind of frames, and the rows that lack most."""
    rows = sorted(rows_of(Path(folder)))
    for mtu, lossless in FRAMES:
        ratios = []
        for speed, cable, xoff in rows:
            needed = headroom_needed(PortBuffers(speed, mtu, lossless, cable))
            if needed is not None:
                ratios.append((xoff / needed, speed, cable, xoff, needed))
        enough = sum(ratio >= 1 for ratio, *_ in ratios)
        by_speed = Counter(speed for ratio, speed, *_ in ratios if ratio < 1)
        words = f"{enough} of {len(ratios)} rows are enough; too small by speed {dict(by_speed)}"
        print(f"frames of {mtu} and {lossless} bytes: {words}")
        for ratio, speed, cable, xoff, needed in sorted(ratios)[:4]:
            print(f"    {ratio:.2f}: {speed} Mb/s, {cable} m: {xoff:,} of {needed:,}")


if __name__ == "__main__":
    main(*sys.argv[1:])
