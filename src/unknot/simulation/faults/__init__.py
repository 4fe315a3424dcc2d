"""Faults during a run: channels and routers that die, packets lost, and routing afterwards."""
