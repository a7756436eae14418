"""Reads the captured log of a service in tests."""

import logging
import re

import pytest


def lines(caplog: pytest.LogCaptureFixture, service: str, level: int) -> list[str]:
    """Return the messages of one level of a service, in order."""
    return [
        record.getMessage()
        for record in caplog.records
        if record.levelno == level and record.name.startswith(f"quartet.{service}")
    ]


def assert_in_order(found: list[str], *wanted: str) -> None:
    """Assert that each pattern matches a line, in this order; lines in between are allowed."""
    rest = iter(found)
    for pattern in wanted:
        assert any(re.search(pattern, line) for line in rest), (pattern, found)


def assert_no_secrets(caplog: pytest.LogCaptureFixture, *secrets: str) -> None:
    """Assert that no message and no trace contains a secret, before any masking."""
    written = logging.Formatter()
    text = "\n".join(written.format(record) for record in caplog.records)
    assert [secret for secret in secrets if secret in text] == []
