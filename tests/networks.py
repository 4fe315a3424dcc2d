"""Networks of the catalogue: the core's, and those of families that stand beside it where they are installed."""

from __future__ import annotations

from unknot.network.tod.functions import foreign
from unknot.verify.testing import NETWORKS

OF_PAPERS = ("rcbn(8)", "composite_banyan(4)")
CATALOGUE = (*NETWORKS, *(text for text in OF_PAPERS if text.partition("(")[0] in foreign()))
