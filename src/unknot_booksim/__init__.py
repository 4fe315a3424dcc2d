"""Configurations of BookSim 2: read, understood and run as they are."""

from unknot_booksim.configuration import KEYS, Configuration, read_configuration
from unknot_booksim.parse import is_configuration
from unknot_booksim.setup import Setup, read_setup

__all__ = ["KEYS", "Configuration", "Setup", "is_configuration", "read_configuration", "read_setup"]
