"""Proofs and counterexamples: dependency graphs, deadlock decisions, certificates, delivery."""

from unknot.switching import SWITCHINGS, Switching
from unknot.verify.check import check
from unknot.verify.delivery import Delivery, deliver
from unknot.verify.states import Dependencies, dependencies
from unknot.verify.verdict import Certificate, Configuration, Message, Size, Verdict

__all__ = [
    "SWITCHINGS",
    "Certificate",
    "Configuration",
    "Delivery",
    "Dependencies",
    "Message",
    "Size",
    "Switching",
    "Verdict",
    "check",
    "deliver",
    "dependencies",
]
