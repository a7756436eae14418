"""The markers of slow tests. They are set by path, so that a test module needs no marker itself."""

# Parts of paths, and the marker of the tests in these files. `make quick` leaves them out.
MARKERS = {
    "/browser/": "browser",
    "_engines.py": "engines",
    "/sync/test_end_to_end.py": "engines",
    "/sync/test_scale_": "engines",
    "kill": "kill",
    "/test_crash.py": "kill",
    "tests/test_cli.py": "slow",
    "tests/test_demo.py": "slow",
    "tests/test_openapi.py": "slow",
    "/wind/test_scale_fleet.py": "slow",
    "test_on_postgresql.py": "slow",
    "test_alerts_month.py": "slow",
    "test_convergence.py": "slow",
    "test_real_files.py": "slow",
}


def markers_of(path: str) -> set[str]:
    return {marker for part, marker in MARKERS.items() if part in path}
