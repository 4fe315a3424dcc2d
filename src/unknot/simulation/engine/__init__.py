"""The engine: state, kernels and tables of a simulation in progress."""
