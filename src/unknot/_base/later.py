"""Places for what higher rooms give to lower ones, loaded when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    pass

T = TypeVar("T")


class Later(Generic[T]):
    """A place for something that is loaded when a room below first asks for it.

    Parameters
    ----------
    giver : str
        The package that fills the place when it is imported.

    Examples
    --------
    >>> colour = Later[str]("unknot")
    >>> colour.give(lambda: "green")
    >>> colour()
    'green'
    """

    def __init__(self, giver: str) -> None:
        self.giver = giver
        self._load: Callable[[], T] | None = None

    def give(self, load: Callable[[], T]) -> None:
        """Fill the place with what this function loads."""
        self._load = load

    def __call__(self) -> T:
        if self._load is None:
            raise LookupError(f"this is given by {self.giver}, which was not imported")
        return self._load()


WATCHED = Later[Any]("unknot")
"""Runs of a flow control whose buffers are looked at, for the conformance check: the simulator lies above it."""
