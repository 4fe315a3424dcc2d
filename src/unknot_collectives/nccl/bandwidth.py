"""Bandwidth that a search for channels takes on paths, and gives back."""

from __future__ import annotations

from collections.abc import Iterator

from unknot_collectives.nccl.parts import PCI, Link, Path


def taken_of(path: Path, amount: int) -> Iterator[tuple[Link, int]]:
    """Yield each link of a path, and each link of its way back, with the MB/s that a channel takes there.

    Over PCIe of Intel's processors the library counts a fifth more.
    """
    for link, back, part in path.steps:
        need = amount * 6 // 5 if path.by_intel and link.kind == PCI else amount
        yield link, need
        if back is not None:
            yield back, int(need * part)


def take(path: Path, amount: int) -> bool:
    """Take bandwidth on a path; False, and nothing is taken, where a link has too little."""
    taken = list[tuple[Link, int]]()
    for link, need in taken_of(path, amount):
        if link.left < need:
            for other, much in taken:
                other.left += much
            return False
        link.left -= need
        taken.append((link, need))
    return True


def give(path: Path, amount: int) -> None:
    """Give bandwidth on a path back."""
    for link, need in taken_of(path, amount):
        link.left += need
