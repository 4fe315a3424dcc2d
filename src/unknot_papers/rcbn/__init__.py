"""Composite banyans and the recursively constructed one (Ren, Gu, Pan & Liu 2003): networks, tags, routing."""

from unknot._base.public import public as _public
from unknot_papers.rcbn.routing import rcbn_tags as rcbn_tags
from unknot_papers.rcbn.topology import Tags as Tags
from unknot_papers.rcbn.topology import augmented_composite_banyan as augmented_composite_banyan
from unknot_papers.rcbn.topology import composite_banyan as composite_banyan
from unknot_papers.rcbn.topology import rcbn as rcbn
from unknot_papers.rcbn.topology import size_of_rcbn as size_of_rcbn
from unknot_papers.rcbn.topology import tags_of_rows as tags_of_rows

__all__ = _public(globals())
