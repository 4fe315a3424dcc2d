"""Best networks for routing (Deng & Yang): which classes of messages may take every shortest path."""

from inspect import ismodule as _ismodule

from unknot_papers.bnr.table import Bnr as Bnr
from unknot_papers.bnr.table import Conclusion as Conclusion
from unknot_papers.bnr.table import Refusal as Refusal
from unknot_papers.bnr.table import bnr as bnr
from unknot_papers.bnr.table import conclude as conclude

__all__ = sorted(name for name, value in globals().items() if not name.startswith("_") and not _ismodule(value))
