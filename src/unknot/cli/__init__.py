"""The command line: a file for each command, and the JSON that each prints.

`unknot.cli.program` puts the commands together; it is imported when the program starts, and nothing before.
"""

from typing import Any

__all__ = ["app"]


def __getattr__(name: str) -> Any:
    if name == "app":
        from unknot.cli.program import app

        return app
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
