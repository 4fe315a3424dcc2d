"""Channels and routers that die during a run, and routings that take the place of others."""
