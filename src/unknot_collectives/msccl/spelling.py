"""How the loaders' own parser wants XML written, which takes less than XML allows."""

from __future__ import annotations

import re
from pathlib import Path

from unknot._base.errors import TextError
from unknot._base.input import read_bytes
from unknot_collectives.msccl.limits import ATTRIBUTES, LETTERS

_TAG = re.compile(rb'</[^\s<>/="]+>|<[^\s<>/="!?]+(?: +[^\s<>/="]+="[^"]*")* *(?:/ *)?>')
_BETWEEN = re.compile(rb"(?:[ \n\r]|<!--.*?-->)*", re.DOTALL)
_ATTRIBUTE = re.compile(rb' ([^\s<>/="]+)="([^"]*)"')
_OCTAL = re.compile(rb"-?0[0-9]+")


def require_spelling(path: str | Path) -> None:
    """Refuse XML that the loaders do not take: anything but tags in one line, with blanks and double quotes.

    Parameters
    ----------
    path : str or Path
        The file.

    Raises
    ------
    TextError
        With line and column, for a declaration, a tab, text between tags, a tag in several lines, single quotes, an
        attribute that is too long, more attributes than fit, and a number that begins with 0, which is octal there.

    Examples
    --------
    >>> require_spelling("examples/collectives/allreduce-pairs.xml")
    """
    content, at = read_bytes(path), 0
    while True:
        at = _BETWEEN.match(content, at).end()  # type: ignore[union-attr]
        if at == len(content):
            return
        tag = _TAG.match(content, at)
        if tag is None:
            raise _error(path, content, at, _reason(content, at))
        attributes = [*_ATTRIBUTE.finditer(tag[0])]
        if len(attributes) > ATTRIBUTES:
            words = f"{len(attributes)} attributes: the loaders keep {ATTRIBUTES} (MAX_ATTR_COUNT)"
            raise _error(path, content, at, words)
        for one in attributes:
            place = at + one.start() + 1
            if len(one[2]) > LETTERS:
                words = f"a value of {len(one[2])} bytes: the loaders keep {LETTERS} (MAX_STR_LEN)"
                raise _error(path, content, place, words)
            if one[1] != b"name" and _OCTAL.fullmatch(one[2]):
                raise _error(path, content, place, "to the loaders a number that begins with 0 is octal; drop the 0")
        at = tag.end()


def _reason(content: bytes, at: int) -> str:
    if content.startswith(b"<?", at):
        return "the loaders take no <?…?>; remove it"
    if content.startswith(b"<", at):
        return 'the loaders take a tag in one line, with blanks between attributes and values in "…"'
    if content.startswith(b"\t", at):
        return "the loaders take no tabs between tags; use blanks"
    return "the loaders take no text between tags"


def _error(path: str | Path, content: bytes, at: int, words: str) -> TextError:
    line = content.rfind(b"\n", 0, at) + 1
    text = content[line:].split(b"\n", 1)[0].decode(errors="replace")
    return TextError(words, path, content.count(b"\n", 0, at) + 1, at - line + 1, text[:200])
