"""Composite banyans and the recursively constructed one (Ren, Gu, Pan & Liu 2003): networks, tags, routing."""

from unknot_papers.rcbn.routing import rcbn_tags
from unknot_papers.rcbn.tags import (
    Tags,
    alternate_tags,
    number_of_paths,
    parse_tag,
    primary_tags,
    rows_of,
    tags_of_rows,
)
from unknot_papers.rcbn.topology import augmented_composite_banyan, composite_banyan, rcbn, size_of_rcbn

__all__ = [
    "Tags",
    "alternate_tags",
    "augmented_composite_banyan",
    "composite_banyan",
    "number_of_paths",
    "parse_tag",
    "primary_tags",
    "rcbn",
    "rcbn_tags",
    "rows_of",
    "size_of_rcbn",
    "tags_of_rows",
]
