"""Hostile case 5: going on with a file that may be another one by now."""

import pytest

from tests.downloads.transfer.desk import Desk, content
from tests.downloads.transfer.servers import (
    Asked,
    Send,
    answer_head,
    body_for,
    head,
    honest,
    liar,
)

OLD = content(1_000_000, seed=1)
NEW = content(1_000_000, seed=2)
HALF = len(OLD) // 2


def half_done(desk: Desk, *extra: str) -> None:
    """Leaves a part file with the first half of OLD and what was known then."""

    def script(asked: Asked, send: Send) -> None:
        send(answer_head(OLD, asked, *extra) + OLD[:HALF])
        served.stopping.wait()

    with liar(script) as served:
        desk.begin(served.url(), connections=1)
        desk.when(lambda seen: seen.bytes_done >= HALF)
        desk.pause()
    assert desk.state().exists()


@pytest.mark.parametrize(
    ("then", "now"),
    [
        (['ETag: "a"'], ['ETag: "b"']),
        (['ETag: W/"a"'], ['ETag: W/"b"']),
        (
            ["Last-Modified: Sat, 14 Nov 2026 10:00:00 GMT"],
            ["Last-Modified: Sun, 15 Nov 2026 10:00:00 GMT"],
        ),
        ([], []),  # only the bytes tell
    ],
)
@pytest.mark.parametrize("obeys_condition", [True, False])
def test_05_another_version_on_resume(
    desk: Desk, then: list[str], now: list[str], obeys_condition: bool
) -> None:
    half_done(desk, *then)

    def script(asked: Asked, send: Send) -> None:
        if obeys_condition and "if-range" in asked.headers:
            asked = Asked(asked.path, {})
        send(answer_head(NEW, asked, *now) + body_for(NEW, asked))

    with liar(script) as server:
        assert desk.finished(server.url(), connections=3) == NEW


def test_05_another_size_on_resume(desk: Desk) -> None:
    half_done(desk, 'ETag: "a"')
    with liar(honest(NEW[:-1])) as server:
        assert desk.finished(server.url()) == NEW[:-1]


def test_05_the_same_version_is_resumed(desk: Desk) -> None:
    half_done(desk, 'ETag: "a"')
    with liar(honest(OLD, 'ETag: "a"')) as server:
        assert desk.finished(server.url(), connections=1) == OLD
    assert server.ranges == [(HALF, len(OLD))]
    assert server.asked[0].headers["if-range"] == '"a"'


def test_05_without_a_validator_the_last_bytes_are_compared(desk: Desk) -> None:
    half_done(desk)
    with liar(honest(OLD)) as server:
        assert desk.finished(server.url(), connections=1) == OLD
    assert server.ranges == [(HALF - 65536, len(OLD))]


def test_05_a_weak_etag_is_no_condition(desk: Desk) -> None:
    half_done(desk, 'ETag: W/"a"')
    with liar(honest(OLD, 'ETag: W/"a"')) as server:
        assert desk.finished(server.url(), connections=1) == OLD
    assert "if-range" not in server.asked[0].headers
    assert server.ranges == [(HALF - 65536, len(OLD))]


def test_05_a_server_that_drops_ranges_under_a_condition(desk: Desk) -> None:
    half_done(desk, 'ETag: "a"')

    def script(asked: Asked, send: Send) -> None:
        asked = Asked(asked.path, {}) if "if-range" in asked.headers else asked
        send(answer_head(OLD, asked, 'ETag: "a"') + body_for(OLD, asked))

    with liar(script) as server:
        assert desk.finished(server.url(), connections=1) == OLD
    assert server.ranges == [(HALF, len(OLD)), (HALF, len(OLD))]


def test_05_a_server_that_forgot_ranges_sends_all_of_it_again(desk: Desk) -> None:
    half_done(desk, 'ETag: "a"')

    def script(asked: Asked, send: Send) -> None:
        send(answer_head(OLD, Asked(asked.path, {}), 'ETag: "a"') + OLD)

    with liar(script) as server:
        assert desk.finished(server.url(), connections=4) == OLD
    assert server.ranges[-1] is None


def test_05_slices_too_small_to_compare_are_given_up(desk: Desk) -> None:
    half_done(desk)

    def script(asked: Asked, send: Send) -> None:
        assert asked.range
        start = asked.range[0]
        text = f"Content-Range: bytes {start}-{start + 99}/{len(OLD)}"
        send(head("206 Partial Content", "Content-Length: 100", text) + OLD[start : start + 100])

    with liar(script) as server:
        failed = desk.failed(server.url(), connections=1)
    assert (failed.problem.code, failed.retryable) == ("closed_early", True)
    assert len(server.asked) < 10


def test_05_a_page_instead_of_the_rest_loses_nothing(desk: Desk) -> None:
    half_done(desk, 'ETag: "a"')
    page = b"<html><head><title>Please log\n in</title></head></html>"

    def script(asked: Asked, send: Send) -> None:
        send(head("200 OK", "Content-Type: text/html", f"Content-Length: {len(page)}") + page)

    with liar(script) as server:
        failed = desk.failed(server.url())
    assert failed.problem.code == "web_page"
    assert failed.problem.inputs == {"text": "Please log in"}
    assert failed.retryable
    with liar(honest(OLD, 'ETag: "a"')) as server:
        assert desk.finished(server.url(), connections=1) == OLD
    assert server.ranges == [(HALF, len(OLD))]
