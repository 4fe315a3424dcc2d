"""Diagnosis of fabrics: recognised structure, missing and wrong cables, slow cables, hosts in odd places."""

from __future__ import annotations

from unknot.fabrics.diagnosis.counters import counters_beside, read_errors
from unknot.fabrics.diagnosis.diagnosing import diagnose, in_order
from unknot.fabrics.diagnosis.finding import Diagnosis, EngineSafety, Finding

__all__ = ["Diagnosis", "EngineSafety", "Finding", "counters_beside", "diagnose", "in_order", "read_errors"]
