"""Seats of names and terminals around the discs of routers; names cover no disc and no other name."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from unknot._base.errors import shortened
from unknot.network import Network
from unknot.report.sheet import SMALLEST, Sheet, font_size, short_name

Seat = tuple[complex, str]
"""Where the base line of a name begins, ends or has its middle, as its anchor says."""
Seats = dict[int, Seat] | None
"""The seats of names by router; None where names are left out."""
LETTER, SIZE = 5.8, 9.5
"""Width of a letter, and the size of the font, of names beside routers."""
MOST_BESIDE = 400
"""Most routers whose names stand beside them."""
SEATED = 0.9
"""Share of the names below which none is written."""
FAN = 8
"""Most terminals of a router that are drawn one by one."""


def beside(sheet: Sheet, routers: Iterable[int], *, must: bool = False, discs: Iterable[complex] = ()) -> Seats:
    """The seats of the names that do not fit into their routers; None where too few find one, unless they must.

    Parameters
    ----------
    sheet : Sheet
    routers : iterable of int
        Routers that are to have names.
    must : bool
        Whether a name without a free seat stands over other things.
    discs : iterable of complex
        Centres of what names may not cover either.
    """
    wanted = [(r, shortened(short_name(sheet.network, r), 20)) for r in routers]
    wanted = [(r, name) for r, name in wanted if font_size(name, sheet.radius) < SMALLEST]
    if not must and len(wanted) > MOST_BESIDE:
        return None
    taken = np.concatenate([sheet.place, np.array(list(discs), dtype=complex)])
    boxes = np.zeros((0, 4))
    seats: dict[int, Seat] = {}
    out, size = sheet.radius + 2, sheet.radius
    for r, name in wanted:
        z, long = complex(sheet.place[r]), LETTER * len(name)
        tries = [
            (out, size + 7, 0.0),
            (out, 3.5, 0.0),
            (out, -size, 0.0),
            (0.0, size + 11, 0.5),
            (0.0, -size - 4, 0.5),
        ]
        tries += [(-out, size + 7, 1.0), (-out, 3.5, 1.0), (-out, -size, 1.0)]
        for x, y, part in tries:
            at = z + complex(x, y)
            box = np.array([at.real - part * long, at.imag - 8, at.real + (1 - part) * long, at.imag + 2])
            inside = box[0] >= 2 and box[1] >= 2 and box[2] <= sheet.width - 2 and box[3] <= sheet.height - 2
            if inside and not _covers(box, taken, sheet.radius + 0.5) and not _meets(box, boxes):
                seats[r], boxes = (at, ("start", "middle", "end")[int(2 * part)]), np.vstack([boxes, box])
                break
        else:
            if must:
                seats[r] = z + complex(out, size + 7), "start"
    return seats if must or len(seats) >= SEATED * len(wanted) else None


def edge_numbers(sheet: Sheet) -> list[tuple[complex, str, str]]:
    """Coordinates along the lower and the left edge of a grid of two dimensions: place, text, anchor."""
    wide = [i for i, k in enumerate(sheet.network.radices) if k > 1]
    if len(wide) != 2 or sheet.network.coordinates is None:
        return []
    numbers: list[tuple[complex, str, str]] = []
    z, out = sheet.place, sheet.radius + 6
    for rank, i in enumerate(wide):
        along = z.imag if rank else z.real
        at = np.asarray(sheet.network.coordinates)[:, i]
        _, first, back = np.unique(at, return_index=True, return_inverse=True)
        if np.abs(along - along[first][back]).max() > 1:
            return []
        for r in first[:: 1 + int(14 / sheet.gap)].tolist():
            if rank:
                numbers.append((complex(float(z.real.min()) - out, along[r] + 3), str(at[r]), "end"))
            else:
                numbers.append((complex(along[r], float(z.imag.max()) + out + 9), str(at[r]), "middle"))
    return numbers


def _covers(box: np.ndarray, discs: np.ndarray, radius: float) -> bool:
    x = np.maximum(np.maximum(box[0] - discs.real, discs.real - box[2]), 0.0)
    y = np.maximum(np.maximum(box[1] - discs.imag, discs.imag - box[3]), 0.0)
    return bool((x * x + y * y < radius * radius).any())


def _meets(box: np.ndarray, boxes: np.ndarray) -> bool:
    return bool(((boxes[:, :2] < box[2:]) & (boxes[:, 2:] > box[:2])).all(axis=1).any())


def terminal_seats(sheet: Sheet) -> list[tuple[complex, str]]:
    """Places of the terminals, away from the links of their routers, and their names; of many at a router, one."""
    network = sheet.network
    ways: dict[int, list[float]] = {}
    for c in range(network.num_channels):
        line = sheet.centre(c)
        ways.setdefault(int(network.source[c]), []).append(float(np.angle(line[1] - line[0])))
        ways.setdefault(int(network.target[c]), []).append(float(np.angle(line[-2] - line[-1])))
    seats: list[tuple[complex, str]] = []
    for router, names in _terminals(network).items():
        angles = np.sort(np.unique(np.round(ways.get(router, [0.0]), 4)))
        gaps = np.diff(np.concatenate([angles, angles[:1] + 2 * np.pi]))
        free = int(gaps.argmax())
        names = names if len(names) <= FAN else [f"{len(names)} terminals: {names[0]} … {names[-1]}"]
        step = min(0.6, 0.9 * float(gaps[free]) / len(names))
        turn = angles[free] + gaps[free] / 2 + step * (np.arange(len(names)) - (len(names) - 1) / 2)
        seats += zip((sheet.place[router] + 1.5 * sheet.radius * np.exp(1j * turn)).tolist(), names, strict=True)
    return seats


def _terminals(network: Network) -> dict[int, list[str]]:
    """The names of the terminals that inject or eject at each router."""
    found: dict[int, list[str]] = {}
    for t, (one, other) in enumerate(zip(network.inject.tolist(), network.eject.tolist(), strict=True)):
        for router in dict.fromkeys((one, other)):
            found.setdefault(router, []).append(network.terminal_name(t))
    return found
