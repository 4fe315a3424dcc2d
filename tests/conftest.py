"""Settings of all property tests: repeatable, without time limits on single examples."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "unknot",
    deadline=None,
    derandomize=True,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("unknot")
