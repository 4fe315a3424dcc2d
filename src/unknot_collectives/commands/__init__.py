"""Commands of collective operations."""
