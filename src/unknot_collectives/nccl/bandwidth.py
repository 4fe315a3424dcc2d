"""Bandwidth that a search for channels takes on paths, and gives back."""

from __future__ import annotations

from unknot_collectives.nccl.parts import PCI, Link, Path


def taken_of(path: Path, amount: int) -> tuple[tuple[Link, int], ...]:
    """Return each link of a path, and each link of its way back, with the MB/s that a channel takes there.

    Over PCIe of Intel's processors the library counts a fifth more.
    """
    known = path.taken.get(amount)
    if known is None:
        rows = list[tuple[Link, int]]()
        for link, back, part in path.steps:
            need = amount * 6 // 5 if path.by_intel and link.kind == PCI else amount
            rows.append((link, need))
            if back is not None:
                rows.append((back, int(need * part)))
        known = path.taken[amount] = tuple(rows)
    return known


def take(path: Path, amount: int) -> bool:
    """Take bandwidth on a path; False, and nothing is taken, where a link has too little."""
    taken = taken_of(path, amount)
    for done, (link, need) in enumerate(taken):
        if link.left < need:
            for other, much in taken[:done]:
                other.left += much
            return False
        link.left -= need
    return True


def give(path: Path, amount: int) -> None:
    """Give bandwidth on a path back."""
    for link, need in taken_of(path, amount):
        link.left += need
