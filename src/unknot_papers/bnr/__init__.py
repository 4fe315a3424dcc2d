"""Best networks for routing (Deng & Yang): which classes of messages may take every shortest path."""

from unknot._base.public import public as _public
from unknot_papers.bnr.table import Bnr as Bnr
from unknot_papers.bnr.table import Conclusion as Conclusion
from unknot_papers.bnr.table import Refusal as Refusal
from unknot_papers.bnr.table import bnr as bnr
from unknot_papers.bnr.table import conclude as conclude

__all__ = _public(globals())
