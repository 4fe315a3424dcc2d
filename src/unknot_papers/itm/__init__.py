"""Incremental triangular meshes (Liu et al. 2002): grow, recognise and find them, order their routers."""

from unknot_papers.itm.independence import contention, independent, positions
from unknot_papers.itm.mesh import TriangularMesh, added, grow, network_of
from unknot_papers.itm.recognise import Chordal, Recognised, chordal, circle, recognise
from unknot_papers.itm.routing import itm_escape
from unknot_papers.itm.spanning import Spanning, spanning
from unknot_papers.itm.topology import itm

__all__ = [
    "Chordal",
    "Recognised",
    "Spanning",
    "TriangularMesh",
    "added",
    "chordal",
    "circle",
    "contention",
    "grow",
    "independent",
    "itm",
    "itm_escape",
    "network_of",
    "positions",
    "recognise",
    "spanning",
]
