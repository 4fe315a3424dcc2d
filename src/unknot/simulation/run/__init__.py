"""Runs: warm-up, measurement, statistics and outcome of a simulated point."""
