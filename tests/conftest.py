"""Settings of all property tests: fresh examples on every run, no time limits on single examples.

The header of a run gives its seed; `pytest --hypothesis-seed=N` draws the same examples again, in any worker and for
any selection of tests.
"""

from __future__ import annotations

import secrets

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "unknot",
    deadline=None,
    derandomize=False,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("unknot")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Draw the seed of this run unless one was given; workers of pytest-xdist receive it with the other options."""
    if config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = str(secrets.randbelow(2**32))


@pytest.fixture
def seed(pytestconfig: pytest.Config) -> int:
    """Seed of this run, for tests that draw without Hypothesis."""
    return int(pytestconfig.option.hypothesis_seed)


def pytest_report_header(config: pytest.Config) -> str:
    return f"property tests: repeat with --hypothesis-seed={config.option.hypothesis_seed}"
