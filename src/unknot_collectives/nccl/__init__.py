"""What NCCL and RCCL choose: their search for channels, their model of time, and their files."""

from inspect import ismodule as _ismodule

from unknot_collectives.nccl.graph import LibraryGraph as LibraryGraph
from unknot_collectives.nccl.graph_files import read_graphs as read_graphs
from unknot_collectives.nccl.graph_files import write_graphs as write_graphs
from unknot_collectives.nccl.library import CollectiveLibrary as CollectiveLibrary
from unknot_collectives.nccl.library import library_of as library_of
from unknot_collectives.nccl.tuning import Cost as Cost

__all__ = sorted(name for name, value in globals().items() if not name.startswith("_") and not _ismodule(value))
