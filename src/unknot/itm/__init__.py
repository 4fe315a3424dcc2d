"""Incremental triangular meshes: grow them, recognise them, find them in networks, order their routers."""

from unknot.itm.independence import contention, independent, positions
from unknot.itm.mesh import TriangularMesh, added, grow, network_of
from unknot.itm.recognise import Chordal, Recognised, chordal, recognise
from unknot.itm.spanning import Spanning, spanning

__all__ = [
    "Chordal",
    "Recognised",
    "Spanning",
    "TriangularMesh",
    "added",
    "chordal",
    "contention",
    "grow",
    "independent",
    "network_of",
    "positions",
    "recognise",
    "spanning",
]
