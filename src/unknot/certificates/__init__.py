"""Evidence as plain data, and checkers of it that share nothing with those who search."""

from unknot.certificates import plain
from unknot.certificates.claims import size_claim
from unknot.certificates.coq import coq_file
from unknot.certificates.documents import delivery_claim, document, verdict_claim, write_document
from unknot.certificates.plain import Rejected, Unchecked, accept
from unknot.certificates.verdict import Certificate, Configuration, Message, Verdict
from unknot.certificates.verdict_checker import accept_configuration, accept_verdict, evidence_holds

__all__ = [
    "Certificate",
    "Configuration",
    "Message",
    "Rejected",
    "Unchecked",
    "Verdict",
    "accept",
    "accept_configuration",
    "accept_verdict",
    "coq_file",
    "delivery_claim",
    "document",
    "evidence_holds",
    "plain",
    "size_claim",
    "verdict_claim",
    "write_document",
]
