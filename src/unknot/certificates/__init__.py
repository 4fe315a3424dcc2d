"""Evidence as plain data, and checkers of it that share nothing with those who search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unknot._base.exports import exports

if TYPE_CHECKING:
    from unknot.certificates.claims import size_claim as size_claim
    from unknot.certificates.coq import coq_file as coq_file
    from unknot.certificates.documents import document as document
    from unknot.certificates.documents import question as question
    from unknot.certificates.documents import write_document as write_document
    from unknot.certificates.plain import Rejected as Rejected
    from unknot.certificates.plain import Unchecked as Unchecked
    from unknot.certificates.plain import accept as accept
    from unknot.certificates.verdict import Certificate as Certificate
    from unknot.certificates.verdict import Configuration as Configuration
    from unknot.certificates.verdict import Message as Message
    from unknot.certificates.verdict import Verdict as Verdict
    from unknot.certificates.verdict_checker import accept_configuration as accept_configuration
    from unknot.certificates.verdict_checker import accept_verdict as accept_verdict
    from unknot.certificates.verdict_checker import evidence_holds as evidence_holds
    from unknot.certificates.verdict_claims import delivery_claim as delivery_claim
    from unknot.certificates.verdict_claims import verdict_claim as verdict_claim

__getattr__, __dir__ = exports(__name__)
__all__ = __dir__()
