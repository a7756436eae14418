"""Repeats the HTTP tests of personal data on PostgreSQL and Redis.

To run all of them: `QUARTET_TEST_DATABASE=postgresql pytest tests/wind`.
"""

import os
import subprocess
import sys

import pytest

from tests.database_backend import VARIABLE
from tests.process import ROOT

FILES = ("alerts_routes", "gear", "site", "spots", "users")


# Locks and limits, in which the databases differ most, have tests in the files of their features.
@pytest.mark.nightly
@pytest.mark.skipif(VARIABLE in os.environ, reason="already running on PostgreSQL")
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("postgres", "redis_url")
def test_personal_data_on_postgresql() -> None:
    files = [f"tests/wind/test_{name}.py" for name in FILES]
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--tb=short"]
    result = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *files],
        cwd=ROOT,
        env={**os.environ, VARIABLE: "postgresql"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert result.returncode == 0, result.stdout[-4000:]
