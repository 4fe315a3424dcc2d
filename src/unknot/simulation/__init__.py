"""Flit-level runs of a routing relation, and replays of deadlock configurations."""

from unknot.simulation.driver import simulate
from unknot.simulation.replay import Replay, replay
from unknot.simulation.run import Run

__all__ = ["Replay", "Run", "replay", "simulate"]
