"""Diagnosis of fabrics: recognised structure, missing and wrong cables, slow cables, hosts in odd places."""

from __future__ import annotations

from unknot.fabrics.diagnosis.counters import read_errors
from unknot.fabrics.diagnosis.diagnosing import diagnose
from unknot.fabrics.diagnosis.finding import Diagnosis, EngineSafety, Finding

__all__ = ["Diagnosis", "EngineSafety", "Finding", "diagnose", "read_errors"]
