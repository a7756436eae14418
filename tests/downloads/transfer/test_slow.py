"""Hostile case 6: bodies that end too soon, never, or hardly begin."""

import os
from pathlib import Path

import pytest

from quartet.downloads.transfer import Patience
from tests.downloads.transfer.desk import Desk, content
from tests.downloads.transfer.servers import Asked, Send, answer_head, body_for, head, liar

DATA = content(600_000)
SHORT = Patience(window=1, lowest_speed=64, retries=2, first_delay=0.02)


def test_06_a_cut_body_is_continued(desk: Desk) -> None:
    def script(asked: Asked, send: Send) -> None:
        send(answer_head(DATA, asked, 'ETag: "a"') + body_for(DATA, asked)[:100_000])

    with liar(script) as server:
        assert desk.finished(server.url(), connections=1) == DATA
    assert [pair[0] for pair in server.ranges if pair] == list(range(0, 600_000, 100_000))


def test_06_a_cut_body_without_ranges_is_an_error(desk: Desk) -> None:
    def script(asked: Asked, send: Send) -> None:
        send(head("200 OK", f"Content-Length: {len(DATA)}") + DATA[:1000])

    with liar(script) as server:
        failed = desk.failed(server.url())
    assert (failed.problem.code, failed.retryable) == ("closed_early", True)


def test_06_nothing_but_promises_is_given_up(desk: Desk) -> None:
    def script(asked: Asked, send: Send) -> None:
        send(answer_head(DATA, asked, 'ETag: "a"'))

    with liar(script) as server:
        failed = desk.failed(server.url(), connections=2)
    assert (failed.problem.code, failed.retryable) == ("closed_early", True)
    assert len(server.asked) < 12


def chunked(*pieces: bytes) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)


def test_06_a_chunked_body_has_no_length(desk: Desk) -> None:
    def script(asked: Asked, send: Send) -> None:
        send(head("200 OK", "Transfer-Encoding: chunked"))
        send(chunked(DATA[:7], *(DATA[at : at + 1] for at in range(7, 3000)), DATA[3000:]))
        send(b"0\r\n\r\n")

    with liar(script) as server:
        assert desk.finished(server.url()) == DATA


def test_06_a_trailer_changes_nothing(desk: Desk) -> None:
    def script(asked: Asked, send: Send) -> None:
        send(head("200 OK", "Transfer-Encoding: chunked") + chunked(DATA))
        send(b"0\r\nContent-Length: 5\r\nContent-Range: bytes 0-4/5\r\n\r\n")

    with liar(script) as server:
        assert desk.finished(server.url()) == DATA


def test_06_a_chunked_body_that_is_cut_is_an_error(desk: Desk) -> None:
    def script(asked: Asked, send: Send) -> None:
        send(head("200 OK", "Transfer-Encoding: chunked") + chunked(DATA))

    with liar(script) as server:
        assert desk.failed(server.url()).problem.code == "closed_early"


def test_06_a_body_without_length_is_compared_with_what_was_promised(desk: Desk) -> None:
    def script(asked: Asked, send: Send) -> None:
        send(head("200 OK", "Connection: close") + DATA[:-1])

    with liar(script) as server:
        failed = desk.failed(server.url(), known_size=len(DATA))
    assert failed.problem.code == "incomplete"
    assert failed.problem.inputs == {"written": len(DATA) - 1, "total": len(DATA)}


def test_06_what_is_longer_than_promised_is_cut(desk: Desk) -> None:
    def script(asked: Asked, send: Send) -> None:
        lines = ("Transfer-Encoding: chunked", f"Content-Range: bytes 0-999/{1000}")
        send(head("206 Partial Content", *lines) + chunked(DATA[:1000], DATA) + b"0\r\n\r\n")

    with liar(script) as server:
        assert desk.finished(server.url()) == DATA[:1000]


def test_06_an_endless_body_ends_at_the_reserve(tmp_path: Path) -> None:
    """The disk is never filled: what must stay free stays free."""
    disk = os.statvfs(tmp_path)
    desk = Desk(tmp_path, reserve=disk.f_bavail * disk.f_frsize - 100_000_000)

    def script(asked: Asked, send: Send) -> None:
        send(head("200 OK", "Connection: close"))
        while not server.stopping.wait(0.01):
            send(DATA * 4)

    with liar(script) as server:
        failed = desk.failed(server.url())
    assert (failed.problem.code, failed.retryable) == ("no_space", False)
    desk.engine.stop()


@pytest.mark.parametrize("sent", [b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 100 Continue\r\n\r\n"])
def test_06_no_answer(desk: Desk, sent: bytes) -> None:
    def script(asked: Asked, send: Send) -> None:
        send(sent)
        server.stopping.wait()

    patience = Patience(connect=0.2, answer=0.3, retries=0)
    with liar(script) as server:
        failed = desk.failed(server.url(), patience=patience)
    assert failed.problem.inputs == {"reason": "timeout"}
    assert failed.retryable


def test_06_a_trickle_is_a_stall(desk: Desk) -> None:
    def script(asked: Asked, send: Send) -> None:
        send(answer_head(DATA, asked, 'ETag: "a"'))
        while not server.stopping.wait(0.1):
            send(b"x")

    with liar(script) as server:
        failed = desk.failed(server.url(), connections=1, patience=SHORT)
    assert (failed.problem.code, failed.retryable) == ("stalled", True)


def test_06_a_refusal_that_takes_its_time_is_still_that(desk: Desk) -> None:
    def script(asked: Asked, send: Send) -> None:
        send(head("404 Not Found", "Content-Length: 1000"))
        server.stopping.wait()

    with liar(script) as server:
        assert desk.failed(server.url(), patience=SHORT).problem.code == "file_offline"


def test_06_one_stalled_connection_does_not_stop_the_others(desk: Desk) -> None:
    def script(asked: Asked, send: Send) -> None:
        send(answer_head(DATA, asked, 'ETag: "a"'))
        if asked.range and asked.range[0] > 0 and len(server.asked) < 4:
            server.stopping.wait()
        send(body_for(DATA, asked))

    with liar(script) as server:
        assert desk.finished(server.url(), connections=3, patience=SHORT) == DATA
