"""Wormhole routing on trees, shift networks and cube-connected cycles (Bermond & Syska 1992; Dally & Seitz 1987)."""

from unknot_papers.wormhole.shift_networks import cube_connected_cycles, de_bruijn, shuffle_exchange
from unknot_papers.wormhole.two_trees import two_trees

__all__ = ["cube_connected_cycles", "de_bruijn", "shuffle_exchange", "two_trees"]
