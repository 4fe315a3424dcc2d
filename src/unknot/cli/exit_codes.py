"""Exit codes of all commands."""

HOLDS, FAILS, UNDECIDED = 0, 1, 3
"""The property holds, or a command has done its work; it does not hold; it is open."""
BAD_INPUT = 2
"""The input is wrong, or too large for the memory."""
INTERNAL = 70
"""A fault of Unknot, or of a library that it uses: there is no answer."""
INTERRUPTED, NOBODY_READS = 130, 141
"""Ended by a signal of the user; standard output was closed."""
