"""Multistage networks: paths and tags, permutations, faults, costs, isomorphisms."""

from unknot.multistage.level_by_level import level_by_level
from unknot.multistage.paths import all_paths, count_paths, disjoint_paths, fewest_disjoint_paths, reaches
from unknot.multistage.permute import METHODS, permute
from unknot.multistage.realisation import Realisation, accept
from unknot.multistage.requests import permutation, random_permutation
from unknot.multistage.search import realisable
from unknot.multistage.tags import (
    Tags,
    alternate_tags,
    number_of_paths,
    parse_tag,
    primary_tags,
    rows_of,
    size_of_rcbn,
    tags_of_rows,
)

__all__ = [
    "METHODS",
    "Realisation",
    "Tags",
    "accept",
    "all_paths",
    "alternate_tags",
    "count_paths",
    "disjoint_paths",
    "fewest_disjoint_paths",
    "level_by_level",
    "number_of_paths",
    "parse_tag",
    "permutation",
    "permute",
    "primary_tags",
    "random_permutation",
    "reaches",
    "realisable",
    "rows_of",
    "size_of_rcbn",
    "tags_of_rows",
]
