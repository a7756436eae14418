"""Servers with incorrect range responses never cause a corrupted file."""

import threading

import pytest

from quartet.downloads.transfer import Finished
from tests.downloads.transfer.engine_bench import EngineBench, content
from tests.downloads.transfer.servers import (
    ReceivedRequest,
    Script,
    Send,
    answer_head,
    body_for,
    correct_server,
    head,
    scripted_server,
)

OLD = content(1_000_000, seed=1)
NEW = content(1_000_000, seed=2)


def correct_then(lie: Script) -> Script:
    """Answer the first request correctly, but hold it until the incorrect response was sent."""
    lie_sent = threading.Event()

    def script(asked: ReceivedRequest, send: Send) -> None:
        if asked.range is None:
            correct_server(OLD)(asked, send)
        elif asked.range[0] == 0:
            send(answer_head(OLD, asked) + OLD[:1000])
            assert lie_sent.wait(60)
            send(OLD[1000:])
        else:
            lie_sent.set()
            lie(asked, send)

    return script


def shifted(asked: ReceivedRequest, send: Send) -> None:
    """Send bytes from another position, with a matching Content-Range."""
    assert asked.range
    start, end = asked.range[0] - 1, asked.range[1] or len(OLD)
    text = f"Content-Range: bytes {start}-{end - 2}/{len(OLD)}"
    send(head("206 Partial Content", f"Content-Length: {end - 1 - start}", text) + OLD[start:end])


def other_total(asked: ReceivedRequest, send: Send) -> None:
    assert asked.range
    start, end = asked.range[0], asked.range[1] or len(OLD)
    text = f"Content-Range: bytes {start}-{end - 1}/{len(OLD) + 5}"
    send(head("206 Partial Content", f"Content-Length: {end - start}", text) + NEW[start:end])


def no_content_range(asked: ReceivedRequest, send: Send) -> None:
    send(head("206 Partial Content", f"Content-Length: {len(NEW)}") + NEW)


def multipart(asked: ReceivedRequest, send: Send) -> None:
    lines = ("Content-Type: multipart/byteranges; boundary=x", "Content-Length: 4")
    send(head("206 Partial Content", *lines) + b"--x\n")


def whole(asked: ReceivedRequest, send: Send) -> None:
    send(head("200 OK", f"Content-Length: {len(OLD)}") + OLD)


def beyond(asked: ReceivedRequest, send: Send) -> None:
    assert asked.range
    text = f"Content-Range: bytes {asked.range[0]}-{len(OLD) + 9}/{len(OLD)}"
    send(head("206 Partial Content", text) + NEW[asked.range[0] :])


def refused(asked: ReceivedRequest, send: Send) -> None:
    send(head("416 Range Not Satisfiable", "Content-Length: 0"))


@pytest.mark.parametrize(
    "lie", [shifted, other_total, no_content_range, multipart, whole, beyond, refused]
)
def test_incorrect_response_to_second_connection(bench: EngineBench, lie: Script) -> None:
    with scripted_server(correct_then(lie)) as server:
        assert bench.finished(server.url(), connections=4) == OLD


@pytest.mark.parametrize("lie", [no_content_range, multipart])
def test_incorrect_response_to_first_request(bench: EngineBench, lie: Script) -> None:
    """The engine asks again without a range."""

    def script(asked: ReceivedRequest, send: Send) -> None:
        lie(asked, send) if asked.range else correct_server(OLD)(asked, send)

    with scripted_server(script) as server:
        assert bench.finished(server.url()) == OLD
        assert server.ranges == [(0, None), None]


def test_server_that_is_always_incorrect_fails(bench: EngineBench) -> None:
    with scripted_server(no_content_range) as server:
        failed = bench.failed(server.url())
    assert (failed.problem.code, failed.retryable) == ("range_ignored", True)
    assert len(server.asked) <= 4


def test_file_that_changes_between_segments(bench: EngineBench) -> None:
    """The first connection gets one version, all others get the next one."""
    etags = iter(['ETag: "a"'])

    def script(asked: ReceivedRequest, send: Send) -> None:
        etag = next(etags, 'ETag: "b"')
        data = OLD if "a" in etag else NEW
        send(answer_head(data, asked, etag) + body_for(data, asked))

    with scripted_server(script) as server:
        outcome = bench.fetch(server.url(), connections=4)
    assert isinstance(outcome, Finished)
    assert bench.part().read_bytes() in (OLD, NEW)


def test_file_that_changes_with_every_request(bench: EngineBench) -> None:
    count = iter(range(1000))

    def script(asked: ReceivedRequest, send: Send) -> None:
        number = next(count)
        data = content(len(OLD), seed=number)
        # Only the first part of each response, so that more requests are needed.
        send(answer_head(data, asked, f'ETag: "{number}"') + body_for(data, asked)[:70_000])

    with scripted_server(script) as server:
        failed = bench.failed(server.url(), connections=2)
    assert failed.problem.code in ("file_changed", "closed_early")
    assert failed.retryable


def test_partial_ranges_are_combined(bench: EngineBench) -> None:
    """A server may send less than was requested."""

    def script(asked: ReceivedRequest, send: Send) -> None:
        assert asked.range
        start = asked.range[0]
        end = min(start + 50_000, asked.range[1] or len(OLD))
        text = f"Content-Range: bytes {start}-{end - 1}/{len(OLD)}"
        send(head("206 Partial Content", f"Content-Length: {end - start}", text) + OLD[start:end])

    with scripted_server(script) as server:
        assert bench.finished(server.url(), connections=3) == OLD


@pytest.mark.parametrize(
    ("status", "code", "retryable", "offline"),
    [
        ("404 Not Found", "file_offline", False, True),
        ("410 Gone", "file_offline", False, True),
        ("401 Unauthorized", "forbidden_by_server", False, False),
        ("403 Forbidden", "forbidden_by_server", True, False),
        ("451 Unavailable", "blocked_legally", False, False),
        ("429 Too Many Requests", "busy", True, False),
        ("503 Service Unavailable", "busy", True, False),
        ("500 Internal Server Error", "server_error", True, False),
        ("204 No Content", "server_error", True, False),
    ],
)
def test_status_codes_become_error_codes(
    bench: EngineBench, status: str, code: str, retryable: bool, offline: bool
) -> None:
    lines = [] if status.startswith("204") else ["Content-Length: 0"]
    with scripted_server(
        lambda asked, send: send(head(status, "Retry-After: 17", *lines))
    ) as server:
        failed = bench.failed(server.url("a?token=secret"))
    assert (failed.problem.code, failed.retryable, failed.offline) == (code, retryable, offline)
    assert "secret" not in repr(failed)
    if code == "busy":
        assert failed.retry_after == 17


def test_busy_second_connection_reduces_connections(bench: EngineBench) -> None:
    def script(asked: ReceivedRequest, send: Send) -> None:
        if asked.range and asked.range[0] == 0:
            send(answer_head(OLD, asked) + OLD[:1000])
            server.stopping.wait(0.3)
            send(OLD[1000:])
        elif len(server.asked) <= 4:
            send(head("503 Service Unavailable", "Content-Length: 0"))
        else:
            correct_server(OLD)(asked, send)

    with scripted_server(script) as server:
        assert bench.finished(server.url(), connections=4) == OLD


def test_expired_redirect_target_is_requested_again(bench: EngineBench) -> None:
    """A redirect leads to a link that expires; the first address returns a new one."""
    links = iter(["/link-1", "/link-2"])
    dead: set[str] = set()

    def script(asked: ReceivedRequest, send: Send) -> None:
        if asked.path == "/start":
            send(head("302 Found", f"Location: {next(links)}", "Content-Length: 0"))
        elif asked.path in dead:
            send(head("403 Forbidden", "Content-Length: 0"))
        else:
            dead.add(asked.path)
            data = body_for(OLD, asked)
            half = data[: len(data) // 2] if asked.path == "/link-1" else data
            send(answer_head(OLD, asked, 'ETag: "a"') + half)

    with scripted_server(script) as server:
        assert bench.finished(server.url("start"), connections=1) == OLD
    assert [asked.path for asked in server.asked] == [
        "/start",
        "/link-1",
        "/link-1",
        "/start",
        "/link-2",
    ]
