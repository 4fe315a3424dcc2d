"""Names of addresses that are pairs, made one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


class PairNames(Sequence[str]):
    """Names of addresses ``first * inner + second``, each made when it is read.

    Parameters
    ----------
    outer, inner : int
        Numbers of first and second parts.
    name : callable
        Takes both parts. For pickling, a function of a module or a partial one.

    Examples
    --------
    >>> PairNames(2, 3, "{} in {}".format)[4]
    '1 in 1'
    """

    def __init__(self, outer: int, inner: int, name: Callable[[int, int], str]) -> None:
        self.outer, self.inner, self.name = outer, inner, name

    def __len__(self) -> int:
        return self.outer * self.inner

    def __getitem__(self, index: Any) -> Any:
        return self.name(*divmod(range(len(self))[index], self.inner))
