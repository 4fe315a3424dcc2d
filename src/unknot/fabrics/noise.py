"""Lines that terminals and libraries leave in the output of InfiniBand tools: skipped, and counted in a note."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

_NOISE = re.compile(
    r"^(?:=~)+=? PuTTY log|^Script (?:started|done) on "
    r"|^\[?[\w.-]+@[\w.-]+(?:[: ][^\]\s]*)?\]?[$#](?: .*)?$"
    r"|^(?:src|libibmad|libibumad|ibdiag|\./)[\w./-]*\.c:[0-9]{1,9}; "
    r"|^ib(?:warn|panic|error|debug): \[[0-9]{1,9}\] |^-[WE]- (?!.*\{)|^umad[\w ]*\("
    r"|^saquery: |^smpquery: |^\*\*\* WARNING \*\*\*: "
)


@dataclass
class Noise:
    """Lines of a file that were skipped."""

    skipped: list[int] = field(default_factory=list)

    def has(self, line: str, number: int) -> bool:
        """Whether a line is none of the tool's output; then it is counted."""
        if _NOISE.match(line) is None:
            return False
        self.skipped.append(number)
        return True

    def notes(self, lines: Sequence[str]) -> list[str]:
        """Return one note that counts the skipped lines and quotes the first, or nothing."""
        if not self.skipped:
            return []
        first = self.skipped[0]
        count = f"{len(self.skipped)} lines" if len(self.skipped) > 1 else "1 line"
        return [
            f"{count} of error messages or terminal output skipped, the first in line {first}: {lines[first - 1]}"
        ]
