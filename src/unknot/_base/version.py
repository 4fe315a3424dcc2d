"""The version of Unknot."""

__version__ = "0.1.0"
