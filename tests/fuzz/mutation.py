"""Damaged copies of good files: by word, by line and by byte, with the words of the format and odd values."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

_WORD = re.compile(r"[^\W\d_]\w*|[0-9]+|\s+|->|--|.", re.S)
ODD = [
    *["", "0", "-1", "1", "2", "00", "1.5", "1e9", "²", "٣", "2147483648", "4294967296", "18446744073709551616"],
    *[
        "9" * 5000,
        "nan",
        "true",
        "null",
        "é",
        "\u202e",
        "\x1b[31m",
        "\x07",
        "\x9b",
        "\0",
        "\r",
        "\t",
        "\ufeff",
        "\ud83d\ude00",
    ],
    *[
        '"',
        "'",
        "\\",
        "<",
        ">",
        "&",
        "&#0;",
        "&amp;",
        "%",
        "#",
        ";",
        ",",
        ":",
        "=",
        "+",
        "/*",
        "//",
        "--",
        "->",
        "...",
    ],
    *["{", "}", "[", "]", "(", ")", "{" * 60, "[" * 300, "(" * 60, "]]]", "}}}", "\n", "\n\n", "  ", "a" * 3000],
]


def damaged(draw: random.Random, corpus: Sequence[bytes]) -> bytes:
    """A file of the corpus with one to six changes; every twentieth one has none but a second file behind it."""
    content = draw.choice(corpus)
    for _ in range(draw.choice((1, 1, 1, 2, 2, 3, 6))):
        content = draw.choice(_CHANGES)(draw, content, corpus)
    return content[:20_000]


def _by_word(draw: random.Random, content: bytes, corpus: Sequence[bytes]) -> bytes:
    """A word is replaced by another of the format or by an odd one, dropped, or said twice."""
    words = _WORD.findall(content.decode("utf-8", errors="surrogateescape"))
    if not words:
        return content
    at = draw.randrange(len(words))
    match draw.randrange(5):
        case 0:
            words[at] = draw.choice(ODD)
        case 1:
            words[at] = draw.choice(words)
        case 2:
            other = _WORD.findall(draw.choice(corpus).decode("utf-8", errors="surrogateescape"))
            words[at : at + draw.randrange(2)] = [draw.choice(other)]
        case 3:
            del words[at]
        case _:
            words[at:at] = words[at : at + draw.randint(1, 12)] * draw.choice((1, 1, 2, 30))
    return _bytes("".join(words))


def _by_line(draw: random.Random, content: bytes, corpus: Sequence[bytes]) -> bytes:
    """Lines are dropped, said twice, moved, cut off or taken from another file."""
    lines = content.split(b"\n")
    at, to = draw.randrange(len(lines)), draw.randrange(len(lines))
    match draw.randrange(5):
        case 0:
            del lines[at : at + draw.randint(1, 3)]
        case 1:
            lines[at:at] = lines[at : at + draw.randint(1, 4)]
        case 2:
            lines[at], lines[to] = lines[to], lines[at]
        case 3:
            lines = lines[: at + 1]
        case _:
            other = draw.choice(corpus).split(b"\n")
            start = draw.randrange(len(other))
            lines[at:at] = other[start : start + draw.randint(1, 6)]
    return b"\n".join(lines)


def _by_byte(draw: random.Random, content: bytes, corpus: Sequence[bytes]) -> bytes:
    """Bytes are changed, dropped, put in or cut off."""
    changed = bytearray(content)
    at = draw.randrange(len(changed) + 1)
    match draw.randrange(4):
        case 0:
            changed[at : at + 1] = bytes([draw.randrange(256)])
        case 1:
            del changed[at : at + draw.randint(1, 5)]
        case 2:
            changed[at:at] = _bytes(draw.choice(ODD))
        case _:
            del changed[at:]
    return bytes(changed)


def _number(draw: random.Random, content: bytes, corpus: Sequence[bytes]) -> bytes:
    """A number becomes one near it, a large one or no number."""
    numbers = list(re.finditer(rb"[0-9]+", content))
    if not numbers:
        return content
    match = draw.choice(numbers)
    value = int(match.group()[:18]) + draw.choice((-1, 1, 1, 2, 10, 255, 65536, 2**31, 2**32, 2**64))
    return content[: match.start()] + str(value).encode() + content[match.end() :]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", errors="surrogatepass" if "\ud83d" in text else "surrogateescape")


_CHANGES = (_by_word, _by_word, _by_word, _by_line, _by_byte, _number)
