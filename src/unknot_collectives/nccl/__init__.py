"""What NCCL and RCCL choose: their search for channels, their model of time, and their files."""

from unknot._base.public import public as _public
from unknot_collectives.nccl.graph import LibraryGraph as LibraryGraph
from unknot_collectives.nccl.graph_files import read_graphs as read_graphs
from unknot_collectives.nccl.graph_files import write_graphs as write_graphs
from unknot_collectives.nccl.library import CollectiveLibrary as CollectiveLibrary
from unknot_collectives.nccl.library import library_of as library_of
from unknot_collectives.nccl.tuning import Cost as Cost

__all__ = _public(globals())
