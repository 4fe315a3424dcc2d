"""Multistage networks: paths and tags, permutations, faults, costs, isomorphisms."""

from unknot_papers.multistage.cost import Cost, cost, costs
from unknot_papers.multistage.faults import (
    Marks,
    marked,
    permute_with_faults,
    random_faults,
    single_faults,
    tags_avoiding,
    unreachable_pairs,
    weakest_pair,
)
from unknot_papers.multistage.fraction import Fraction, realisable_fraction
from unknot_papers.multistage.isomorphism import Isomorphism, isomorphism
from unknot_papers.multistage.level_by_level import level_by_level
from unknot_papers.multistage.multicast import Trees, multicast
from unknot_papers.multistage.paths import all_paths, count_paths, disjoint_paths, fewest_disjoint_paths, reaches
from unknot_papers.multistage.permute import METHODS, permute
from unknot_papers.multistage.realisation import Realisation, accept
from unknot_papers.multistage.requests import permutation, random_permutation
from unknot_papers.multistage.search import realisable
from unknot_papers.rcbn.tags import (
    Tags,
    alternate_tags,
    number_of_paths,
    parse_tag,
    primary_tags,
    rows_of,
    tags_of_rows,
)
from unknot_papers.rcbn.topology import size_of_rcbn

__all__ = [
    "METHODS",
    "Cost",
    "Fraction",
    "Isomorphism",
    "Marks",
    "Realisation",
    "Tags",
    "Trees",
    "accept",
    "all_paths",
    "alternate_tags",
    "cost",
    "costs",
    "count_paths",
    "disjoint_paths",
    "fewest_disjoint_paths",
    "isomorphism",
    "level_by_level",
    "marked",
    "multicast",
    "number_of_paths",
    "parse_tag",
    "permutation",
    "permute",
    "permute_with_faults",
    "primary_tags",
    "random_faults",
    "random_permutation",
    "reaches",
    "realisable",
    "realisable_fraction",
    "rows_of",
    "single_faults",
    "size_of_rcbn",
    "tags_avoiding",
    "tags_of_rows",
    "unreachable_pairs",
    "weakest_pair",
]
