"""Evidence as plain data, and checkers of it that share nothing with those who search."""

from unknot.certificates import plain
from unknot.certificates.comparison import rule_difference, table_difference
from unknot.certificates.coq import coq_file
from unknot.certificates.documents import (
    Document,
    answer_claims,
    changes_claim,
    delivery_claim,
    document,
    lanes_claim,
    load_claim,
    message_of,
    network_of,
    part_of,
    removals_claim,
    routes_claim,
    rule_claim,
    rules_claim,
    size_claim,
    table_of,
    verdict_claim,
    write_document,
)
from unknot.certificates.plain import Rejected, Unchecked, accept
from unknot.certificates.verdict import Certificate, Configuration, Message, Size, Verdict
from unknot.certificates.verdict_checker import accept_configuration, accept_verdict, evidence_holds

__all__ = [
    "Certificate",
    "Configuration",
    "Document",
    "Message",
    "Rejected",
    "Size",
    "Unchecked",
    "Verdict",
    "accept",
    "accept_configuration",
    "accept_verdict",
    "answer_claims",
    "changes_claim",
    "coq_file",
    "delivery_claim",
    "document",
    "evidence_holds",
    "lanes_claim",
    "load_claim",
    "message_of",
    "network_of",
    "part_of",
    "plain",
    "removals_claim",
    "routes_claim",
    "rule_claim",
    "rule_difference",
    "rules_claim",
    "size_claim",
    "table_difference",
    "table_of",
    "verdict_claim",
    "write_document",
]
