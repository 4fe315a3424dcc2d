"""Evidence as plain data, and checkers of it that share nothing with those who search."""

from unknot.certificates import plain
from unknot.certificates.coq import coq_file
from unknot.certificates.documents import (
    Document,
    delivery_claim,
    document,
    lanes_claim,
    message_of,
    network_of,
    removals_claim,
    routes_claim,
    table_of,
    verdict_claim,
    write_document,
)
from unknot.certificates.plain import Rejected, Unchecked

__all__ = [
    "Document",
    "Rejected",
    "Unchecked",
    "coq_file",
    "delivery_claim",
    "document",
    "lanes_claim",
    "message_of",
    "network_of",
    "plain",
    "removals_claim",
    "routes_claim",
    "table_of",
    "verdict_claim",
    "write_document",
]
