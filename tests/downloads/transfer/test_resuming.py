"""Resuming a file that may have changed."""

import pytest

from tests.downloads.transfer.engine_bench import EngineBench, content
from tests.downloads.transfer.servers import (
    ReceivedRequest,
    Send,
    answer_head,
    body_for,
    correct_server,
    head,
    scripted_server,
)

OLD = content(1_000_000, seed=1)
NEW = content(1_000_000, seed=2)
HALF = len(OLD) // 2


def half_done(bench: EngineBench, *extra: str) -> None:
    """Leave a part file with the first half of OLD and its checkpoint."""

    def script(asked: ReceivedRequest, send: Send) -> None:
        send(answer_head(OLD, asked, *extra) + OLD[:HALF])
        served.stopping.wait()

    with scripted_server(script) as served:
        bench.begin(served.url(), connections=1)
        bench.when(lambda seen: seen.bytes_done >= HALF)
        bench.pause()
    assert bench.state().exists()


@pytest.mark.parametrize(
    ("then", "now"),
    [
        (['ETag: "a"'], ['ETag: "b"']),
        (['ETag: W/"a"'], ['ETag: W/"b"']),
        (
            ["Last-Modified: Sat, 14 Nov 2026 10:00:00 GMT"],
            ["Last-Modified: Sun, 15 Nov 2026 10:00:00 GMT"],
        ),
        ([], []),  # only the bytes differ
    ],
)
@pytest.mark.parametrize("obeys_condition", [True, False])
def test_changed_version_on_resume(
    bench: EngineBench, then: list[str], now: list[str], obeys_condition: bool
) -> None:
    half_done(bench, *then)

    def script(asked: ReceivedRequest, send: Send) -> None:
        if obeys_condition and "if-range" in asked.headers:
            asked = ReceivedRequest(asked.path, {})
        send(answer_head(NEW, asked, *now) + body_for(NEW, asked))

    with scripted_server(script) as server:
        assert bench.finished(server.url(), connections=3) == NEW


def test_changed_size_on_resume(bench: EngineBench) -> None:
    half_done(bench, 'ETag: "a"')
    with scripted_server(correct_server(NEW[:-1])) as server:
        assert bench.finished(server.url()) == NEW[:-1]


def test_same_version_is_resumed(bench: EngineBench) -> None:
    half_done(bench, 'ETag: "a"')
    with scripted_server(correct_server(OLD, 'ETag: "a"')) as server:
        assert bench.finished(server.url(), connections=1) == OLD
    assert server.ranges == [(HALF, len(OLD))]
    assert server.asked[0].headers["if-range"] == '"a"'


def test_without_validator_last_bytes_are_compared(bench: EngineBench) -> None:
    half_done(bench)
    with scripted_server(correct_server(OLD)) as server:
        assert bench.finished(server.url(), connections=1) == OLD
    assert server.ranges == [(HALF - 65536, len(OLD))]


def test_weak_etag_is_not_sent_as_if_range(bench: EngineBench) -> None:
    half_done(bench, 'ETag: W/"a"')
    with scripted_server(correct_server(OLD, 'ETag: W/"a"')) as server:
        assert bench.finished(server.url(), connections=1) == OLD
    assert "if-range" not in server.asked[0].headers
    assert server.ranges == [(HALF - 65536, len(OLD))]


def test_server_that_ignores_ranges_with_if_range(bench: EngineBench) -> None:
    half_done(bench, 'ETag: "a"')

    def script(asked: ReceivedRequest, send: Send) -> None:
        asked = ReceivedRequest(asked.path, {}) if "if-range" in asked.headers else asked
        send(answer_head(OLD, asked, 'ETag: "a"') + body_for(OLD, asked))

    with scripted_server(script) as server:
        assert bench.finished(server.url(), connections=1) == OLD
    assert server.ranges == [(HALF, len(OLD)), (HALF, len(OLD))]


def test_server_that_lost_range_support_sends_whole_file(bench: EngineBench) -> None:
    half_done(bench, 'ETag: "a"')

    def script(asked: ReceivedRequest, send: Send) -> None:
        send(answer_head(OLD, ReceivedRequest(asked.path, {}), 'ETag: "a"') + OLD)

    with scripted_server(script) as server:
        assert bench.finished(server.url(), connections=4) == OLD
    assert server.ranges[-1] is None


def test_ranges_too_small_to_compare_fail(bench: EngineBench) -> None:
    half_done(bench)

    def script(asked: ReceivedRequest, send: Send) -> None:
        assert asked.range
        start = asked.range[0]
        text = f"Content-Range: bytes {start}-{start + 99}/{len(OLD)}"
        send(head("206 Partial Content", "Content-Length: 100", text) + OLD[start : start + 100])

    with scripted_server(script) as server:
        failed = bench.failed(server.url(), connections=1)
    assert (failed.problem.code, failed.retryable) == ("closed_early", True)
    assert len(server.asked) < 10


def test_html_page_on_resume_loses_nothing(bench: EngineBench) -> None:
    half_done(bench, 'ETag: "a"')
    page = b"<html><head><title>Please log\n in</title></head></html>"

    def script(asked: ReceivedRequest, send: Send) -> None:
        send(head("200 OK", "Content-Type: text/html", f"Content-Length: {len(page)}") + page)

    with scripted_server(script) as server:
        failed = bench.failed(server.url())
    assert failed.problem.code == "web_page"
    assert failed.problem.inputs == {"text": "Please log in"}
    assert failed.retryable
    with scripted_server(correct_server(OLD, 'ETag: "a"')) as server:
        assert bench.finished(server.url(), connections=1) == OLD
    assert server.ranges == [(HALF, len(OLD))]
