"""Configurations of BookSim 2: read, understood and run as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unknot._base.exports import exports

if TYPE_CHECKING:
    from unknot_booksim.configuration import Configuration as Configuration
    from unknot_booksim.configuration import read_configuration as read_configuration
    from unknot_booksim.keys import KEYS as KEYS
    from unknot_booksim.parse import is_configuration as is_configuration
    from unknot_booksim.setup import Setup as Setup
    from unknot_booksim.setup import read_setup as read_setup

__getattr__, __dir__ = exports(__name__)
__all__ = __dir__()
