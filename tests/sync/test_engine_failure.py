"""The reason for a failure is an error in the log, not its last line."""

import pytest

from quartet.sync.engine.failure import exit_error, reason_in

INFO = "[ABCDE] 2026/01/31 10:00:00 INFO: Relay listener is shutting down"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (
            "[ABCDE] 2026/01/31 10:00:00 WARNING: Failed to open the database: locked",
            "Failed to open the database: locked",
        ),
        ("[start] 10:00:00 WARNING: Starting API: address in use", "Starting API: address in use"),
        (
            "2026-01-31 10:00:00 ERR Failed to initialize config (error=denied, log.pkg=main)",
            "Failed to initialize config (error=denied, log.pkg=main)",
        ),
        ("panic: runtime error: index out of range", "runtime error: index out of range"),
        ("[ABCDE] 10:00:00 WARNING: Syncthing should not run as a privileged user.", ""),
        (INFO, ""),
    ],
)
def test_reason_is_text_of_last_error(line: str, reason: str) -> None:
    assert reason_in([INFO, line, INFO]) == reason


def test_killed_engine_names_signal() -> None:
    assert exit_error(-9, [INFO]).inputs == {"exitCode": -9, "reason": "SIGKILL"}
    assert exit_error(1, [INFO]).code == "engine_exited_silently"
