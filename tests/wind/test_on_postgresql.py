"""The tests through HTTP on PostgreSQL and Redis as well; here those of what people keep.

All of them: `QUARTET_TEST_DATABASE=postgresql pytest tests/wind`.
"""

import os
import subprocess
import sys

import pytest

from tests.database_backend import VARIABLE
from tests.process import ROOT

FILES = ("gear", "site", "spots", "users", "alarms_routes")


@pytest.mark.skipif(VARIABLE in os.environ, reason="that is what runs just now")
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("postgres", "redis_url")
def test_what_people_keep_is_the_same_there() -> None:
    files = [f"tests/wind/test_{name}.py" for name in FILES]
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--tb=short"]
    told = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *files],
        cwd=ROOT,
        env={**os.environ, VARIABLE: "postgresql"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert told.returncode == 0, told.stdout[-4000:]
