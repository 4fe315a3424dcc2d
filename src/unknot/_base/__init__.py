"""What every room stands on: errors, limits, progress, reading and writing, and what kernels share."""

__version__ = "0.1.0"
__all__ = ["__version__"]
