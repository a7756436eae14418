"""Hostile case 5: servers that lie about ranges. Never a spliced file."""

import threading

import pytest

from quartet.downloads.transfer import Finished
from tests.downloads.transfer.desk import Desk, content
from tests.downloads.transfer.servers import (
    Asked,
    Script,
    Send,
    answer_head,
    body_for,
    head,
    honest,
    liar,
)

OLD = content(1_000_000, seed=1)
NEW = content(1_000_000, seed=2)


def first_honest_then(lie: Script) -> Script:
    """Good to the first request, which is held open until the lie has been told."""
    told = threading.Event()

    def script(asked: Asked, send: Send) -> None:
        if asked.range is None:
            honest(OLD)(asked, send)
        elif asked.range[0] == 0:
            send(answer_head(OLD, asked) + OLD[:1000])
            assert told.wait(30)
            send(OLD[1000:])
        else:
            told.set()
            lie(asked, send)

    return script


def shifted(asked: Asked, send: Send) -> None:
    """Bytes from elsewhere, and says so."""
    assert asked.range
    start, end = asked.range[0] - 1, asked.range[1] or len(OLD)
    text = f"Content-Range: bytes {start}-{end - 2}/{len(OLD)}"
    send(head("206 Partial Content", f"Content-Length: {end - 1 - start}", text) + OLD[start:end])


def other_total(asked: Asked, send: Send) -> None:
    assert asked.range
    start, end = asked.range[0], asked.range[1] or len(OLD)
    text = f"Content-Range: bytes {start}-{end - 1}/{len(OLD) + 5}"
    send(head("206 Partial Content", f"Content-Length: {end - start}", text) + NEW[start:end])


def no_content_range(asked: Asked, send: Send) -> None:
    send(head("206 Partial Content", f"Content-Length: {len(NEW)}") + NEW)


def multipart(asked: Asked, send: Send) -> None:
    lines = ("Content-Type: multipart/byteranges; boundary=x", "Content-Length: 4")
    send(head("206 Partial Content", *lines) + b"--x\n")


def whole(asked: Asked, send: Send) -> None:
    send(head("200 OK", f"Content-Length: {len(OLD)}") + OLD)


def beyond(asked: Asked, send: Send) -> None:
    assert asked.range
    text = f"Content-Range: bytes {asked.range[0]}-{len(OLD) + 9}/{len(OLD)}"
    send(head("206 Partial Content", text) + NEW[asked.range[0] :])


def refused(asked: Asked, send: Send) -> None:
    send(head("416 Range Not Satisfiable", "Content-Length: 0"))


@pytest.mark.parametrize(
    "lie", [shifted, other_total, no_content_range, multipart, whole, beyond, refused]
)
def test_05_a_lie_to_a_second_connection(desk: Desk, lie: Script) -> None:
    with liar(first_honest_then(lie)) as server:
        assert desk.finished(server.url(), connections=4) == OLD


@pytest.mark.parametrize("lie", [no_content_range, multipart])
def test_05_a_lie_to_the_first_request(desk: Desk, lie: Script) -> None:
    """Asked without a range the server is believed."""

    def script(asked: Asked, send: Send) -> None:
        lie(asked, send) if asked.range else honest(OLD)(asked, send)

    with liar(script) as server:
        assert desk.finished(server.url()) == OLD
        assert server.ranges == [(0, None), None]


def test_05_a_server_that_always_lies_is_given_up(desk: Desk) -> None:
    with liar(no_content_range) as server:
        failed = desk.failed(server.url())
    assert (failed.problem.code, failed.retryable) == ("range_ignored", True)
    assert len(server.asked) <= 4


def test_05_a_file_that_changes_between_segments(desk: Desk) -> None:
    """The first connection sees one version, all others the next one."""
    etags = iter(['ETag: "a"'])

    def script(asked: Asked, send: Send) -> None:
        etag = next(etags, 'ETag: "b"')
        data = OLD if "a" in etag else NEW
        send(answer_head(data, asked, etag) + body_for(data, asked))

    with liar(script) as server:
        outcome = desk.fetch(server.url(), connections=4)
    assert isinstance(outcome, Finished)
    assert desk.part().read_bytes() in (OLD, NEW)


def test_05_a_file_that_never_stays_the_same(desk: Desk) -> None:
    count = iter(range(1000))

    def script(asked: Asked, send: Send) -> None:
        number = next(count)
        data = content(len(OLD), seed=number)
        # The first part of each answer only, so that more is always asked for.
        send(answer_head(data, asked, f'ETag: "{number}"') + body_for(data, asked)[:70_000])

    with liar(script) as server:
        failed = desk.failed(server.url(), connections=2)
    assert failed.problem.code in ("file_changed", "closed_early")
    assert failed.retryable


def test_05_slices_are_put_together(desk: Desk) -> None:
    """A server may answer with less than was asked for."""

    def script(asked: Asked, send: Send) -> None:
        assert asked.range
        start = asked.range[0]
        end = min(start + 50_000, asked.range[1] or len(OLD))
        text = f"Content-Range: bytes {start}-{end - 1}/{len(OLD)}"
        send(head("206 Partial Content", f"Content-Length: {end - start}", text) + OLD[start:end])

    with liar(script) as server:
        assert desk.finished(server.url(), connections=3) == OLD


@pytest.mark.parametrize(
    ("status", "code", "retryable", "offline"),
    [
        ("404 Not Found", "file_offline", False, True),
        ("410 Gone", "file_offline", False, True),
        ("403 Forbidden", "forbidden_by_server", True, False),
        ("429 Too Many Requests", "busy", True, False),
        ("503 Service Unavailable", "busy", True, False),
        ("500 Internal Server Error", "server_error", True, False),
        ("204 No Content", "server_error", True, False),
    ],
)
def test_what_a_server_says_has_a_code(
    desk: Desk, status: str, code: str, retryable: bool, offline: bool
) -> None:
    lines = [] if status.startswith("204") else ["Content-Length: 0"]
    with liar(lambda asked, send: send(head(status, "Retry-After: 17", *lines))) as server:
        failed = desk.failed(server.url("a?token=secret"))
    assert (failed.problem.code, failed.retryable, failed.offline) == (code, retryable, offline)
    assert "secret" not in repr(failed)
    if code == "busy":
        assert failed.retry_after == 17


def test_busy_to_a_second_connection_means_fewer(desk: Desk) -> None:
    def script(asked: Asked, send: Send) -> None:
        if asked.range and asked.range[0] == 0:
            send(answer_head(OLD, asked) + OLD[:1000])
            server.stopping.wait(0.3)
            send(OLD[1000:])
        elif len(server.asked) <= 4:
            send(head("503 Service Unavailable", "Content-Length: 0"))
        else:
            honest(OLD)(asked, send)

    with liar(script) as server:
        assert desk.finished(server.url(), connections=4) == OLD


def test_an_expired_address_is_asked_for_again(desk: Desk) -> None:
    """A redirect leads to a link that stops working; the first address knows a new one."""
    links = iter(["/link-1", "/link-2"])
    dead: set[str] = set()

    def script(asked: Asked, send: Send) -> None:
        if asked.path == "/start":
            send(head("302 Found", f"Location: {next(links)}", "Content-Length: 0"))
        elif asked.path in dead:
            send(head("403 Forbidden", "Content-Length: 0"))
        else:
            dead.add(asked.path)
            data = body_for(OLD, asked)
            half = data[: len(data) // 2] if asked.path == "/link-1" else data
            send(answer_head(OLD, asked, 'ETag: "a"') + half)

    with liar(script) as server:
        assert desk.finished(server.url("start"), connections=1) == OLD
    assert [asked.path for asked in server.asked] == [
        "/start",
        "/link-1",
        "/link-1",
        "/start",
        "/link-2",
    ]
