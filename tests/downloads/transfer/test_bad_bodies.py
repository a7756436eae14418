"""Response bodies that end early, never end or hardly start."""

import os
from pathlib import Path

import pytest

from quartet.downloads.transfer import Timeouts
from tests.downloads.transfer.engine_bench import EngineBench, content
from tests.downloads.transfer.servers import (
    ReceivedRequest,
    Send,
    answer_head,
    body_for,
    head,
    scripted_server,
)

DATA = content(600_000)
SHORT = Timeouts(window=1, lowest_speed=64, retries=2, first_delay=0.02)


def test_truncated_body_is_continued(bench: EngineBench) -> None:
    def script(asked: ReceivedRequest, send: Send) -> None:
        send(answer_head(DATA, asked, 'ETag: "a"') + body_for(DATA, asked)[:100_000])

    with scripted_server(script) as server:
        assert bench.finished(server.url(), connections=1) == DATA
    assert [pair[0] for pair in server.ranges if pair] == list(range(0, 600_000, 100_000))


def test_truncated_body_without_ranges_is_an_error(bench: EngineBench) -> None:
    def script(asked: ReceivedRequest, send: Send) -> None:
        send(head("200 OK", f"Content-Length: {len(DATA)}") + DATA[:1000])

    with scripted_server(script) as server:
        failed = bench.failed(server.url())
    assert (failed.problem.code, failed.retryable) == ("closed_early", True)


def test_responses_without_body_fail(bench: EngineBench) -> None:
    def script(asked: ReceivedRequest, send: Send) -> None:
        send(answer_head(DATA, asked, 'ETag: "a"'))

    with scripted_server(script) as server:
        failed = bench.failed(server.url(), connections=2)
    assert (failed.problem.code, failed.retryable) == ("closed_early", True)
    assert len(server.asked) < 12


def chunked(*pieces: bytes) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)


def test_chunked_body_without_length(bench: EngineBench) -> None:
    def script(asked: ReceivedRequest, send: Send) -> None:
        send(head("200 OK", "Transfer-Encoding: chunked"))
        send(chunked(DATA[:7], *(DATA[at : at + 1] for at in range(7, 3000)), DATA[3000:]))
        send(b"0\r\n\r\n")

    with scripted_server(script) as server:
        assert bench.finished(server.url()) == DATA


def test_trailer_is_ignored(bench: EngineBench) -> None:
    def script(asked: ReceivedRequest, send: Send) -> None:
        send(head("200 OK", "Transfer-Encoding: chunked") + chunked(DATA))
        send(b"0\r\nContent-Length: 5\r\nContent-Range: bytes 0-4/5\r\n\r\n")

    with scripted_server(script) as server:
        assert bench.finished(server.url()) == DATA


def test_truncated_chunked_body_is_an_error(bench: EngineBench) -> None:
    def script(asked: ReceivedRequest, send: Send) -> None:
        send(head("200 OK", "Transfer-Encoding: chunked") + chunked(DATA))

    with scripted_server(script) as server:
        assert bench.failed(server.url()).problem.code == "closed_early"


def test_body_without_length_is_compared_with_known_size(bench: EngineBench) -> None:
    def script(asked: ReceivedRequest, send: Send) -> None:
        send(head("200 OK", "Connection: close") + DATA[:-1])

    with scripted_server(script) as server:
        failed = bench.failed(server.url(), known_size=len(DATA))
    assert failed.problem.code == "incomplete"
    assert failed.problem.inputs == {"written": len(DATA) - 1, "total": len(DATA)}


def test_surplus_bytes_are_cut(bench: EngineBench) -> None:
    def script(asked: ReceivedRequest, send: Send) -> None:
        lines = ("Transfer-Encoding: chunked", f"Content-Range: bytes 0-999/{1000}")
        send(head("206 Partial Content", *lines) + chunked(DATA[:1000], DATA) + b"0\r\n\r\n")

    with scripted_server(script) as server:
        assert bench.finished(server.url()) == DATA[:1000]


def test_endless_body_stops_at_disk_reserve(tmp_path: Path) -> None:
    """The reserved disk space is never used."""
    disk = os.statvfs(tmp_path)
    bench = EngineBench(tmp_path, reserve=disk.f_bavail * disk.f_frsize - 100_000_000)

    def script(asked: ReceivedRequest, send: Send) -> None:
        send(head("200 OK", "Connection: close"))
        while not server.stopping.wait(0.01):
            send(DATA * 4)

    with scripted_server(script) as server:
        failed = bench.failed(server.url())
    assert (failed.problem.code, failed.retryable) == ("space_reserve", False)
    bench.engine.stop()


@pytest.mark.parametrize("sent", [b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 100 Continue\r\n\r\n"])
def test_missing_response_times_out(bench: EngineBench, sent: bytes) -> None:
    def script(asked: ReceivedRequest, send: Send) -> None:
        send(sent)
        server.stopping.wait()

    timeouts = Timeouts(connect=0.2, answer=0.3, retries=0)
    with scripted_server(script) as server:
        failed = bench.failed(server.url(), timeouts=timeouts)
    assert failed.problem.inputs == {"reason": "timeout"}
    assert failed.retryable


def test_trickling_body_is_stalled(bench: EngineBench) -> None:
    def script(asked: ReceivedRequest, send: Send) -> None:
        send(answer_head(DATA, asked, 'ETag: "a"'))
        while not server.stopping.wait(0.1):
            send(b"x")

    with scripted_server(script) as server:
        failed = bench.failed(server.url(), connections=1, timeouts=SHORT)
    assert (failed.problem.code, failed.retryable) == ("stalled", True)


def test_slow_error_response_keeps_its_status(bench: EngineBench) -> None:
    def script(asked: ReceivedRequest, send: Send) -> None:
        send(head("404 Not Found", "Content-Length: 1000"))
        server.stopping.wait()

    with scripted_server(script) as server:
        assert bench.failed(server.url(), timeouts=SHORT).problem.code == "file_offline"


def test_stalled_connection_does_not_stop_others(bench: EngineBench) -> None:
    def script(asked: ReceivedRequest, send: Send) -> None:
        send(answer_head(DATA, asked, 'ETag: "a"'))
        if asked.range and asked.range[0] > 0 and len(server.asked) < 4:
            server.stopping.wait()
        send(body_for(DATA, asked))

    with scripted_server(script) as server:
        assert bench.finished(server.url(), connections=3, timeouts=SHORT) == DATA
