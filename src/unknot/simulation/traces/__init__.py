"""Traces, closed loops and replays: given messages in place of random traffic."""
