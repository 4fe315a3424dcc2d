"""Diagnosis of fabrics: recognised structure, missing and wrong cables, slow cables, hosts in odd places."""

from __future__ import annotations

from unknot.fabrics.diagnosis.counters import counters_beside, read_errors
from unknot.fabrics.diagnosis.diagnosing import diagnose
from unknot.fabrics.diagnosis.finding import Diagnosis, Finding

__all__ = ["Diagnosis", "Finding", "counters_beside", "diagnose", "read_errors"]
