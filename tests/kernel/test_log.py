import asyncio
import json
import logging

import pytest

from quartet.kernel.errors import Problem
from quartet.kernel.log import (
    ConsoleFormatter,
    JsonFormatter,
    is_no_cancellation,
    problem_text,
    request_id,
    set_up_logging,
    without_secrets,
)


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer s3cr3t",
        "authorization=Basic s3cr3t",
        '{"password": "s3cr3t", "user": "ada"}',
        "postgresql://ada:s3cr3t@localhost/db",
        "redis://:s3cr3t@localhost",
        "GET /feed?token=s3cr3t&x=1",
        "api_key: s3cr3t",
        "Cookie: s3cr3t",
        "{'password': 's3cr3t', 'user': 'ada'}",
        '{"password": "two words s3cr3t"}',
        r'{"password": "with \" s3cr3t"}',
        "Cookie: theme=dark; session=s3cr3t",
        "{'cookie': 'theme=dark; session=s3cr3t; more=\"s3cr3t\"'}",
        "set-cookie: a=s3cr3t;b=s3cr3t; Path=/",
    ],
)
def test_secrets_are_masked(text: str) -> None:
    assert "s3cr3t" not in without_secrets(text)
    assert "***" in without_secrets(text)


def test_text_after_secret_is_kept() -> None:
    assert without_secrets("{'password': 's3cr3t', 'user': 'ada'}").endswith("'user': 'ada'}")
    assert without_secrets("cookie: a=1; b=2 of ada") == "cookie: *** of ada"


def test_ordinary_lines_are_unchanged() -> None:
    line = "not_found {path=Season 1/Episode 2.mkv} at http://localhost:8080/x"
    assert without_secrets(line) == line


def record(text: str, error: BaseException | None = None) -> logging.LogRecord:
    trace = (type(error), error, error.__traceback__) if error else None
    return logging.LogRecord("quartet.test", logging.WARNING, "", 1, text, None, trace)


def test_json_lines_contain_request_id_and_traceback() -> None:
    request_id.set("abc123")
    try:
        raise ValueError("inside token=s3cr3t")
    except ValueError as error:
        line = json.loads(JsonFormatter().format(record("went wrong", error)))
    request_id.set("")
    assert (line["level"], line["message"], line["requestId"]) == (
        "warning",
        "went wrong",
        "abc123",
    )
    assert "ValueError" in line["trace"]
    assert "s3cr3t" not in line["trace"]


def test_console_lines_are_readable() -> None:
    line = ConsoleFormatter().format(record("went wrong"))
    assert line.endswith("warning quartet.test       went wrong")
    assert "\n" not in line


def test_control_characters_are_escaped_on_console() -> None:
    record = logging.LogRecord(
        "quartet", logging.INFO, "", 0, "%s", ("a\nb\r\x1b[2J\u2028é",), None
    )
    text = ConsoleFormatter().format(record)
    assert "a\\nb\\r\\x1b[2J\\u2028é" in text
    assert text.isprintable()


def test_text_of_problem_has_hosts_instead_of_addresses() -> None:
    inputs = {
        "reason": "GET https://ada:s3cr3t@files.example:8080/a?token=s3cr3t failed",
        "tries": 3,
    }
    found = problem_text(Problem("unreachable", inputs))
    assert found == "unreachable reason=GET files.example failed tries=3"


@pytest.mark.parametrize("name", ["urllib3.connectionpool", "websockets.client", "aiohttp.client"])
def test_libraries_that_log_requests_are_silent_at_debug_level(name: str) -> None:
    before = logging.root.handlers[:], logging.root.level
    try:
        set_up_logging("debug", "json")
        assert logging.getLogger("quartet.test").isEnabledFor(logging.DEBUG)
        assert not logging.getLogger(name).isEnabledFor(logging.INFO)
    finally:
        logging.root.handlers[:] = before[0]
        logging.root.setLevel(before[1])


@pytest.mark.parametrize(
    ("error", "logged"), [(asyncio.CancelledError(), False), (ValueError("broken"), True)]
)
def test_errors_of_cancelled_requests_are_not_logged(error: BaseException, logged: bool) -> None:
    record = logging.LogRecord(
        "uvicorn.error", logging.ERROR, "", 0, "", (), (type(error), error, None)
    )
    assert is_no_cancellation(record) is logged
