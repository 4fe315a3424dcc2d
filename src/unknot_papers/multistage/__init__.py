"""Multistage networks: paths and tags, permutations, faults."""

from unknot._base.public import public as _public
from unknot.network.stages import reaches as reaches
from unknot_papers.multistage.permute import permute as permute
from unknot_papers.multistage.permute import permute_with_faults as permute_with_faults
from unknot_papers.multistage.realisation import Marks as Marks
from unknot_papers.multistage.realisation import Realisation as Realisation
from unknot_papers.multistage.realisation import accept as accept
from unknot_papers.multistage.realisation import marked as marked
from unknot_papers.multistage.realisation import permutation as permutation
from unknot_papers.multistage.realisation import random_permutation as random_permutation
from unknot_papers.multistage.search import count_paths as count_paths
from unknot_papers.rcbn.topology import Tags as Tags
from unknot_papers.rcbn.topology import size_of_rcbn as size_of_rcbn
from unknot_papers.rcbn.topology import tags_of_rows as tags_of_rows

__all__ = _public(globals())
