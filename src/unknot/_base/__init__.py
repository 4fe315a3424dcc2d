"""What every room stands on: errors, limits, progress, reading and writing, and what kernels share."""

__all__: list[str] = []
