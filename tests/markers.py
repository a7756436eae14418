"""The markers of slow tests, which `make quick` leaves out.

They are set by path, or by the list of tests that took longest in an earlier run of the suite, so
that a test needs no marker itself. Only `nightly` is set in the tests.
"""

from functools import cache
from pathlib import Path

SLOW_TESTS = Path(__file__).with_name("slow_tests.txt")

# Parts of paths, and the marker of the tests in these files.
MARKERS = {
    "/browser/": "browser",
    "_engines.py": "engines",
    "/sync/test_agent.py": "engines",
    "/sync/test_end_to_end.py": "engines",
    "/sync/test_engine.py": "engines",
    "/sync/test_engine_plan.py": "engines",
    "/sync/test_engine_process.py": "engines",
    "/sync/test_hub.py": "engines",
    "/sync/test_hubs.py": "engines",
    "/sync/test_repairs.py": "engines",
    "/sync/test_scale_": "engines",
    "kill": "kill",
    "/test_crash.py": "kill",
    "tests/test_cli.py": "slow",
    "tests/test_demo.py": "slow",
    "tests/test_import_contracts.py": "slow",
    "tests/test_openapi.py": "slow",
    "/downloads/archives/": "slow",
    "/downloads/test_captchas_archives.py": "slow",
    "/downloads/test_extraction_": "slow",
    "/downloads/test_hoster_ytdlp.py": "slow",
    "/downloads/test_hosters_hostile.py": "slow",
    "/kernel/test_server.py": "slow",
    "/sync/test_agent_one_file.py": "slow",
    "/wind/test_scale_": "slow",
    "_postgresql.py": "slow",
    "test_alerts_month.py": "slow",
    "test_real_files.py": "slow",
}


def markers_of(test: str) -> set[str]:
    """Return the markers of a test, given its node id."""
    markers = markers_of_path(test.split("::")[0])
    return markers | {"slow"} if test.split("[")[0] in _slow_tests() else markers


@cache
def markers_of_path(path: str) -> set[str]:
    return {marker for part, marker in MARKERS.items() if part in path}


@cache
def slow_tests_of_path(path: str) -> int:
    return sum(test.startswith(f"{path}::") for test in _slow_tests())


@cache
def _slow_tests() -> frozenset[str]:
    return frozenset(SLOW_TESTS.read_text().split())
