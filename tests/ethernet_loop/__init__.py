"""A real Ethernet fabric in network namespaces beside computed routes and verdicts: ``make ethernet-test``."""
