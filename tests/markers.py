"""The markers of slow tests. They are set by path, so that a test module needs no marker itself."""

# Parts of paths, and the marker of the tests in these files. `make quick` leaves them out.
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


def markers_of(path: str) -> set[str]:
    return {marker for part, marker in MARKERS.items() if part in path}
