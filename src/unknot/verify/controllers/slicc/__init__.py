"""Readers of gem5's language for coherence protocols."""
