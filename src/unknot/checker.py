"""Former place of the checker of verdicts, for one release."""

import warnings

from unknot.certificates import Rejected, Unchecked, evidence_holds
from unknot.certificates import accept_verdict as accept

__all__ = ["Rejected", "Unchecked", "accept", "evidence_holds"]

warnings.warn(
    "unknot.checker is now part of unknot.certificates, where accept is called accept_verdict",
    DeprecationWarning,
    stacklevel=2,
)
