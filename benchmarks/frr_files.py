"""Routes, summaries and neighbours that FRR's own tests expect, and how many of these are read.

``python -m benchmarks.frr_files CLONE`` takes a clone of FRRouting/frr. Files below ``tests/topotests`` are told by
content: a table of routes has prefixes as keys. Many hold only the fields that a test compares.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from ipaddress import ip_network
from pathlib import Path
from typing import Any

from unknot._base.errors import UnknotError
from unknot.fabrics.ethernet.routes import read_routes


def is_prefix(text: str) -> bool:
    """Whether a key is a prefix with its length."""
    try:
        return "/" in text and bool(ip_network(text, strict=False))
    except ValueError:
        return False


def is_table(content: Any) -> bool:
    """Whether some JSON is a table of routes, as zebra prints it."""
    if not isinstance(content, dict) or not all(map(is_prefix, content)):
        return False
    entries = [row for rows in content.values() if isinstance(rows, list) for row in rows]
    return any(isinstance(row, dict) and "nexthops" in row and "protocol" in row for row in entries)


def main(folder: str) -> None:
    said, unread, vrfs = Counter[str](), Counter[str](), Counter[str]()
    for path in sorted((Path(folder) / "tests/topotests").rglob("*")):
        if path.suffix not in (".json", ".ref", ".txt") or not path.is_file():
            continue
        try:
            content = json.loads(path.read_text(encoding="utf-8", errors="replace"))
        except ValueError:
            continue
        if not is_table(content):
            continue
        left_out = list[str]()
        try:
            routes = read_routes(path, left_out.append)
            said["read" if any(one.routes for one in routes.values()) else "read: no route is selected"] += 1
            vrfs.update({*routes})
        except UnknotError as error:
            said[f"REFUSED: {error.message.partition(': ')[2] or error.message}"] += 1
            print(path.relative_to(folder), error.message[:150])
        unread.update(set(left_out))
    print(f"VRFs: {', '.join(sorted(vrfs))}")
    for counted in (said, unread):
        for what, number in counted.most_common():
            print(f"{number:6}  {what}")


if __name__ == "__main__":
    main(*sys.argv[1:])
