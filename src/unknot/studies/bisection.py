"""The load at which a search for saturation goes on."""

from __future__ import annotations

from collections.abc import Mapping


def between(low: int, high: int, carried: Mapping[int, bool]) -> int | None:
    """Return the load in the middle between stable and unstable ones; None: there is none.

    Loads in doubt count as stable, and what is stable for sure is then looked for below them.

    Parameters
    ----------
    low, high : int
        Positions of the highest load known as stable, and of the lowest known not to be.
    carried : mapping of int to bool
        Loads below `high` that were tried, and whether they are in doubt.

    Returns
    -------
    int or None

    Examples
    --------
    >>> between(2, 8, {2: False}), between(7, 8, {2: False, 7: True}), between(7, 8, {6: False, 7: True})
    (5, 4, None)
    """
    if high - low > 1:
        return (low + high) // 2
    sure = max((at for at, doubt in carried.items() if not doubt), default=-1)
    above = min((at for at in carried if at > sure), default=sure)
    return (sure + above) // 2 if above - sure > 1 else None
