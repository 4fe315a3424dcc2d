"""Manifest of an outcome: the command, code, libraries and networks that made it.

The command line enters the command that runs, and what writes files puts its manifest into them: see `stamp`. Without
a command there is none. Nothing in it depends on the time or the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Literal

from unknot._base.version import __version__

STDOUT = "-"
"""Name of the standard output as an outcome."""


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """What an outcome came from; `unknot rerun` makes it again.

    Attributes
    ----------
    format, version : str, int
        Of the manifest itself.
    output : str
        The file or folder as the command names it; ``-`` is the standard output.
    command : tuple of str
        Words of the command line after ``unknot``, as they were typed.
    seed : int or None
        Of the command, where it has one; a study's stand in its rows.
    networks : mapping of str to str
        Digests of the networks that were made or read, by their names.
    unknot : str
        Version of Unknot.
    commit : str or None
        Of the checkout, or the one that was installed from; null where neither is known.
    code : str
        Digest of the sources of Unknot and its extensions, and of the versions of libraries.
    libraries : mapping of str to str
        Versions of Python and of the libraries that decide outcomes.
    """

    format: Literal["unknot-manifest"] = "unknot-manifest"
    version: Literal[1] = 1
    output: str = STDOUT
    command: tuple[str, ...]
    seed: int | None
    networks: Mapping[str, str]
    unknot: str
    commit: str | None
    code: str
    libraries: Mapping[str, str]


@dataclass(frozen=True)
class Running:
    """A command that runs.

    Attributes
    ----------
    recorded : Manifest, optional
        The manifest that all outcomes get, so that those of a command that is run again can be compared.
    networks : dict
        What computes the digests of the networks met so far, by their names.
    """

    command: tuple[str, ...]
    seed: int | None
    recorded: Manifest | None = None
    networks: dict[str, Callable[[], str]] = field(default_factory=dict)

    def manifest(self) -> Manifest:
        """The manifest of its outcomes, as things stand."""
        from unknot._base.installation import code_digest, commit, libraries

        return Manifest(
            command=self.command,
            seed=self.seed,
            networks={name: digest() for name, digest in self.networks.items()},
            unknot=__version__,
            commit=commit(),
            code=code_digest(),
            libraries=libraries(),
        )


_running: list[Running] = []


@contextmanager
def running(command: Running) -> Iterator[None]:
    """Enter the command that runs until the block ends."""
    _running.append(command)
    try:
        yield
    finally:
        _running.pop()


def met(name: str, digest: Callable[[], str]) -> None:
    """Enter a network that the command has made or read; its digest is computed when something is written."""
    if _running:
        _running[-1].networks[name] = digest


def manifest_of(output: str) -> Manifest | None:
    """The manifest of an outcome of the command that runs; None where none runs."""
    if not _running:
        return None
    return replace(_running[-1].recorded or _running[-1].manifest(), output=output)
