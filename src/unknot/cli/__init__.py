"""The command line: a file for each command, and the JSON that each prints.

`unknot.cli.program` puts the commands together; it is imported when the program starts, and nothing before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unknot._base.exports import exports

if TYPE_CHECKING:
    from unknot.cli.program import app as app

__getattr__, __dir__ = exports(__name__)
__all__ = __dir__()
