"""What is loaded only when it is first asked for: public names of rooms, and what higher rooms give to lower ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Generic, TypeVar

from unknot._base.moved import names_of

T = TypeVar("T")


def exports(
    package: str, homes: Mapping[str, tuple[str, ...]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package that imports its public names when they are first asked for.

    Parameters
    ----------
    package : str
        Its `__name__`.
    homes : mapping of str to tuple of str
        The public names by the modules of the package that define them.

    Examples
    --------
    >>> load, names = exports("json", {"decoder": ("JSONDecodeError",)})
    >>> names(), load("JSONDecodeError").__module__
    (['JSONDecodeError'], 'json.decoder')
    """
    home = {name: f"{package}.{module}" for module, names in homes.items() for name in names}

    def load(name: str) -> Any:
        if name in home:
            return getattr(import_module(home[name]), name)
        return names_of(package, 2)(name)

    return load, lambda: sorted(home)


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
