"""Seats of names and terminals around the discs of routers; names cover no disc and no other name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unknot._base.arrays import Floats
from unknot._base.errors import shortened
from unknot.network import Network
from unknot.report.sheet import SMALLEST, Sheet, font_size, short_name

Seats = dict[int, tuple[complex, str]]
"""Of names by router: where the base line begins, ends or has its middle, as the anchor says."""
LETTER, SIZE = 5.8, 9.5
"""Width of a letter, and the size of the font, of names beside routers."""
MOST_BESIDE = 400
"""Most routers whose names stand beside them."""
APART = 0.4
"""Least angle between two terminals of a router that are drawn one by one."""


def small(sheet: Sheet, routers: Sequence[int]) -> dict[int, str]:
    """The names that do not fit into their routers."""
    names = {r: shortened(short_name(sheet.network, r), 20) for r in routers}
    return {r: name for r, name in names.items() if font_size(name, sheet.radius) < SMALLEST}


def beside(sheet: Sheet, routers: Sequence[int], *, must: bool = False, more: Sequence[complex] = ()) -> Seats:
    """The seats of the names that do not fit into their routers.

    Where one of them finds no seat that is free, only the names along the lower and the left edge of a grid have
    seats.

    Parameters
    ----------
    sheet : Sheet
    routers : sequence of int
        Routers that are to have names.
    must : bool
        Whether a name without a free seat stands over other things.
    more : sequence of complex
        Centres of terminals, which names may not cover either.
    """
    wanted = small(sheet, routers)
    if len(wanted) > MOST_BESIDE and not must:
        return _edges(sheet, wanted)
    reach, seats = sheet.radius + 0.5, Seats()
    out, low = sheet.radius + 2, sheet.radius + 8
    tries = [(part, y) for part in (0, 2, 1) for y in (low, 3.5, -sheet.radius) if part != 1 or y != 3.5]
    taken = [_box(z, reach, reach, reach) for z in (*sheet.place.tolist(), *more)]
    for r, name in wanted.items():
        long = LETTER * len(name)
        for part, y in tries:
            at = complex(sheet.place[r]) + (1 - part) * out + 1j * y * (1.4 if part == 1 else 1.0)
            box = _box(at, part * long / 2, (2 - part) * long / 2, 8.0, 2.0)
            if _free(box, np.array(taken), sheet):
                taken.append(box)
                seats[r] = at, ("start", "middle", "end")[part]
                break
        else:
            if not must:
                return _edges(sheet, wanted)
            seats[r] = complex(sheet.place[r]) + out + 1j * low, "start"
    return seats


def _edges(sheet: Sheet, names: dict[int, str]) -> Seats:
    """Seats of the names along the lower and the left edge of a grid, if they have room there."""
    z, out = sheet.place, sheet.radius + 6
    low, left = z.imag == z.imag.max(), z.real == z.real.min()
    if low.sum() * left.sum() != len(z) or LETTER * max(map(len, names.values())) > sheet.gap:
        return {}
    seats = {int(r): (complex(z[r]) - out + 3j, "end") for r in np.flatnonzero(left)}
    return seats | {int(r): (complex(z[r]) + 1j * (out + 9), "middle") for r in np.flatnonzero(low)}


def _box(at: complex, left: float, right: float, up: float, down: float | None = None) -> list[float]:
    return [at.real - left, at.imag - up, at.real + right, at.imag + (up if down is None else down)]


def clear(sheet: Sheet, at: complex, words: str) -> bool:
    """Whether words around a point cover no disc."""
    half = LETTER * len(words) / 2
    discs = [_box(z, sheet.radius, sheet.radius, sheet.radius) for z in sheet.place.tolist()]
    return _free(_box(at, half, half, 9.0, 1.0), np.array(discs), sheet)


def _free(box: Sequence[float], taken: Floats, sheet: Sheet) -> bool:
    """Whether a box lies on the paper and covers nothing."""
    left, top, right, bottom = box
    meets = (taken[:, 0] < right) & (taken[:, 2] > left) & (taken[:, 1] < bottom) & (taken[:, 3] > top)
    return min(left, top) >= 2 and right <= sheet.width - 2 and bottom <= sheet.height - 2 and not meets.any()


def terminal_seats(sheet: Sheet) -> list[tuple[complex, str]]:
    """Places of the terminals, away from the links of their routers, and their names; of many at a router, one."""
    network, seats = sheet.network, list[tuple[complex, str]]()
    ways: dict[int, list[complex]] = {}
    for c in range(network.num_channels):
        line = sheet.centre(c)
        ways.setdefault(int(network.source[c]), []).append(line[1] - line[0])
        ways.setdefault(int(network.target[c]), []).append(line[-2] - line[-1])
    for router, names in _terminals(network).items():
        angles = np.unique(np.angle(ways.get(router, [1.0])).round(4))
        gaps = np.diff(angles, append=angles[0] + 2 * np.pi)
        step = min(0.6, 0.9 * float(gaps.max()) / len(names))
        names = names if step >= APART else [f"{len(names)} terminals: {names[0]} … {names[-1]}"]
        first = angles[gaps.argmax()] + gaps.max() / 2 - step * (len(names) - 1) / 2
        around = 1.5 * sheet.radius * np.exp(1j * (first + step * np.arange(len(names))))
        seats += zip((sheet.place[router] + around).tolist(), names, strict=True)
    return seats


def _terminals(network: Network) -> dict[int, list[str]]:
    """The names of the terminals that inject or eject at each router."""
    found: dict[int, list[str]] = {}
    for t, ends in enumerate(zip(network.inject.tolist(), network.eject.tolist(), strict=True)):
        for router in dict.fromkeys(ends):
            found.setdefault(router, []).append(network.terminal_name(t))
    return found
