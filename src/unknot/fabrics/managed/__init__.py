"""Fabrics simulated by `ibsim` and managed by the real OpenSM."""
