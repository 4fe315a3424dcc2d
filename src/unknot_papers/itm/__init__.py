"""Incremental triangular meshes (Liu et al. 2002): grow, recognise and find them, order their routers."""

from unknot._base.public import public as _public
from unknot_papers.itm.recognise import Recognised as Recognised
from unknot_papers.itm.recognise import chordal as chordal
from unknot_papers.itm.recognise import circle as circle
from unknot_papers.itm.recognise import recognise as recognise
from unknot_papers.itm.routing import itm_escape as itm_escape
from unknot_papers.itm.spanning import Spanning as Spanning
from unknot_papers.itm.spanning import spanning as spanning
from unknot_papers.itm.topology import TriangularMesh as TriangularMesh
from unknot_papers.itm.topology import grow as grow
from unknot_papers.itm.topology import itm as itm
from unknot_papers.itm.topology import network_of as network_of

__all__ = _public(globals())
