"""Manifest of an outcome: the command, code, libraries and networks that made it, and where files have room for it.

The command line enters the command that runs, and what writes files puts its manifest into them. Without a command
there is none. Nothing in it depends on the time or the machine.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from unknot._base.extensions import folders

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
        from unknot._base.version import __version__

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


def was_written(option: str) -> bool:
    """Whether the command that is running was given an option by name, such as ``--vcs``."""
    words = _running[-1].command if _running else ()
    return any(word.partition("=")[0] == option for word in words)


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


MARK = '{"format": "unknot-manifest"'
"""How a manifest begins."""
MOST = 1 << 20
"""Bytes of a manifest that are read."""
SIDE = ".manifest.json"
"""What is added to the name of a table for the name of the file with its manifest, since CSV has no comments."""
_BEFORE = {
    ".svg": ("<metadata>{}</metadata>\n", "</svg>"),
    ".html": ("<details class='note'><summary>Manifest</summary><pre>{}</pre></details>\n", "</body>"),
}
"""By ending: the manifest, and what it stands before."""
_COMMENT = {".v": "// {}\n", ".dot": "// {}\n", ".cnf": "c {}\n"} | dict.fromkeys((".py", ".toml"), "# {}\n")
"""By ending: the first line."""


def line(manifest: Manifest, also: str = "") -> str:
    """A manifest as one line of ASCII that is JSON, with no quote in a string, none of ``<>&`` and none of `also`."""
    text = json.dumps(vars(manifest))
    text = re.sub(r"\\(.)", lambda match: "\\u0022" if match[1] == '"' else match[0], text)
    return re.sub(f"[<>&{re.escape(also)}]", lambda match: f"\\u{ord(match[0]):04x}", text)


def stamped(text: str, ending: str, manifest: Manifest) -> str:
    """A text with its manifest, where files with this ending have room for one."""
    words = line(manifest)
    if ending == ".json":
        return f'{text.rstrip()[:-1].rstrip()},\n"manifest": {words}\n}}\n'
    if ending in _BEFORE:
        form, end = _BEFORE[ending]
        before, _, after = text.rpartition(end)
        return f"{before}{form.format(words)}{end}{after}" if end in text else text
    if ending in (".md", ".xml", ".graphml"):
        comment = words.replace("--", r"-\u002d")  # XML allows no two hyphens in a comment
        return f"{text}\n<!-- {comment} -->\n"
    if text.startswith("(*"):
        return f"(* {words} *)\n{text}"
    return _COMMENT[ending].format(words) + text if ending in _COMMENT else text


def manifest_in(content: bytes) -> Any:
    """The manifest in the bytes of a file, as JSON that was read but not checked; None if there is none."""
    if content[:1] == b"{":
        try:
            document = json.loads(content)
        except (ValueError, RecursionError):
            return None
        return document if content.startswith(MARK.encode()) else document.get("manifest")
    at = content.rfind(MARK.encode())
    words = content[at : at + MOST].decode("ascii", "replace") if at >= 0 else ""
    if content[:4] == b"%PDF":
        words = words.replace("\\\\", "\\")
    try:
        return json.JSONDecoder().raw_decode(words)[0]
    except (ValueError, RecursionError):
        return None


PACKAGE = Path(__file__).parents[1]
LIBRARIES = ("numba", "numpy", "scipy", "ortools", "python-sat")
"""Libraries whose code takes part in verdicts and runs."""


@lru_cache(maxsize=1)
def libraries() -> dict[str, str]:
    """The versions of Python and of those `LIBRARIES` that are installed."""
    from importlib.metadata import PackageNotFoundError, version

    versions = {"python": "{}.{}".format(*sys.version_info)}
    for name in LIBRARIES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:  # comes with an extra
            continue
    return versions


@lru_cache(maxsize=1)
def code_digest() -> str:
    """Return the hash of this installation, computed once per process (10 ms for 1.8 MB of sources)."""
    return digest_of([PACKAGE, *folders()], libraries())


def digest_of(packages: Iterable[Path], versions: Mapping[str, str]) -> str:
    """Return a hash of all Python sources under some folders and of the versions of libraries.

    Every source counts, whatever it seems to be about: a result must not outlive the code that made it.
    """
    import hashlib

    digest = hashlib.sha256(repr(sorted(versions.items())).encode())
    for package in packages:
        for path in sorted(package.rglob("*.py")):
            content = path.read_bytes()
            digest.update(f"{path.relative_to(package).as_posix()}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]


@lru_cache(maxsize=1)
def commit() -> str | None:
    """The commit of a checkout, or the one that pip installed from; None where neither is known."""
    import subprocess
    from importlib.metadata import PackageNotFoundError, distribution

    git = PACKAGE.parents[1] / ".git"
    try:
        if git.exists():
            words = ["git", "--git-dir", str(git), "rev-parse", "HEAD"]
            return subprocess.run(words, capture_output=True, check=True, text=True).stdout.strip()
        source = json.loads(distribution("unknot").read_text("direct_url.json") or "{}")
        name: str | None = source.get("vcs_info", {}).get("commit_id")
        return name
    except (OSError, subprocess.CalledProcessError, PackageNotFoundError):
        return None
