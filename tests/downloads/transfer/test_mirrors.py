"""Fetching one file from several servers at the same time."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.downloads.transfer.engine_bench import SECONDS, EngineBench, content
from tests.downloads.transfer.servers import (
    ReceivedRequest,
    ScriptedServer,
    Send,
    answer_head,
    body_for,
    correct_server,
    head,
    scripted_server,
)
from tests.real_servers import free_port

DATA = content(4_000_000)
SAMPLE = 64 * 1024
STEP = 16 * 1024
SECONDS_PER_STEP = 0.002


@dataclass
class Mirror:
    """A server that sends at most one step at a time, however many connections it has."""

    data: bytes = DATA
    sent: int = 0
    # Sends the rest of the file only after the other mirror has been asked.
    other: "Mirror | None" = None
    asked: threading.Event = field(default_factory=threading.Event)
    _turn: threading.Lock = field(default_factory=threading.Lock)

    def script(self, asked: ReceivedRequest, send: Send) -> None:
        self.asked.set()
        body = body_for(self.data, asked)
        send(answer_head(self.data, asked))
        for place in range(0, len(body), STEP):
            with self._turn:
                if self.other and self.sent > 2 * SAMPLE:
                    self.other.asked.wait(SECONDS)
                time.sleep(SECONDS_PER_STEP)
                self.sent += len(body[place : place + STEP])
            send(body[place : place + STEP])


@contextmanager
def two(first: Mirror, second: Mirror) -> Iterator[tuple[ScriptedServer, ScriptedServer]]:
    first.other = second
    with scripted_server(first.script) as one, scripted_server(second.script) as other:
        yield one, other


def test_two_throttled_mirrors_share_the_file(bench: EngineBench) -> None:
    first, second = Mirror(), Mirror()
    with two(first, second) as (one, other):
        fetched = bench.finished(one.url(), mirrors=[other.url()], connections=4)
    assert fetched == DATA
    # Both have the same speed, so the file arrives earlier by what the other one sends.
    assert min(first.sent, second.sent) > len(DATA) // 4
    assert first.sent + second.sent < len(DATA) * 1.2


def test_one_connection_per_mirror_is_used_at_least(bench: EngineBench) -> None:
    first, second = Mirror(), Mirror()
    with two(first, second) as (one, other):
        assert bench.finished(one.url(), mirrors=[other.url()], connections=1) == DATA
    assert min(first.sent, second.sent) > len(DATA) // 4


def test_mirror_with_other_bytes_is_dropped(bench: EngineBench) -> None:
    first, second = Mirror(), Mirror(content(len(DATA), seed=8))
    with two(first, second) as (one, other):
        assert bench.finished(one.url(), mirrors=[other.url()]) == DATA
    assert len(other.asked) == 1
    assert second.sent <= SAMPLE


def test_mirror_with_other_size_is_dropped(bench: EngineBench) -> None:
    first, second = Mirror(), Mirror(DATA + b"more")
    with two(first, second) as (one, other):
        assert bench.finished(one.url(), mirrors=[other.url()]) == DATA
    assert len(other.asked) == 1


def test_first_address_with_other_size_than_expected_is_dropped(bench: EngineBench) -> None:
    with (
        scripted_server(correct_server(DATA[:-1])) as one,
        scripted_server(correct_server(DATA)) as other,
    ):
        fetched = bench.finished(one.url(), mirrors=[other.url()], known_size=len(DATA))
    assert fetched == DATA
    assert len(one.asked) == 1


def test_mirror_replaces_first_address_that_fails(bench: EngineBench) -> None:
    def missing(asked: ReceivedRequest, send: Send) -> None:
        send(head("404 Not Found", "Content-Length: 0"))

    closed = f"http://127.0.0.1:{free_port()}/file.bin"
    with scripted_server(missing) as gone, scripted_server(correct_server(DATA)) as server:
        assert bench.finished(gone.url(), mirrors=[closed, server.url()]) == DATA


def test_failure_of_all_mirrors_is_retryable_if_one_may_come_back(bench: EngineBench) -> None:
    def missing(asked: ReceivedRequest, send: Send) -> None:
        send(head("404 Not Found", "Content-Length: 0"))

    closed = f"http://127.0.0.1:{free_port()}/file.bin"
    with scripted_server(missing) as gone:
        failed = bench.failed(closed, mirrors=[gone.url()])
    assert (failed.problem.code, failed.retryable, failed.offline) == ("network_error", True, False)


def test_forbidden_mirror_is_never_asked(bench: EngineBench) -> None:
    with scripted_server(correct_server(DATA)) as server:
        mirrors = ["file:///etc/passwd", "http://[::1", server.url()]
        assert bench.finished(server.url("first.bin"), mirrors=mirrors) == DATA


def test_broken_mirror_loses_its_segments(bench: EngineBench) -> None:
    second = Mirror()
    first = Mirror(other=second)

    def script(asked: ReceivedRequest, send: Send) -> None:
        if asked.range and (asked.range[1] or 0) - asked.range[0] <= SAMPLE:
            second.script(asked, send)
        else:
            send(answer_head(DATA, asked) + body_for(DATA, asked)[:1000])

    with scripted_server(first.script) as one, scripted_server(script) as other:
        assert bench.finished(one.url(), mirrors=[other.url()]) == DATA
    assert len(other.asked) > 1


def test_hanging_mirror_loses_its_segments(bench: EngineBench) -> None:
    second = Mirror()
    first = Mirror(other=second)

    def script(asked: ReceivedRequest, send: Send) -> None:
        if asked.range and (asked.range[1] or 0) - asked.range[0] <= SAMPLE:
            second.script(asked, send)
        else:
            send(answer_head(DATA, asked) + body_for(DATA, asked)[:1000])
            hanging.stopping.wait()

    with scripted_server(first.script) as one, scripted_server(script) as hanging:
        assert bench.finished(one.url(), mirrors=[hanging.url()]) == DATA
        assert not hanging.stopping.is_set()
    assert len(hanging.asked) > 1


def test_mirror_resumes_download_of_another_server(bench: EngineBench) -> None:
    half = len(DATA) // 2

    def script(asked: ReceivedRequest, send: Send) -> None:
        send(answer_head(DATA, asked, 'ETag: "a"') + DATA[:half])
        first.stopping.wait()

    with scripted_server(script) as first:
        bench.begin(first.url(), connections=1)
        bench.when(lambda seen: seen.bytes_done >= half)
        bench.pause()
    with scripted_server(correct_server(DATA, 'ETag: "b"')) as second:
        fetched = bench.finished(first.url(), mirrors=[second.url()], connections=1)
    assert fetched == DATA
    assert second.ranges == [(half - SAMPLE, len(DATA))]


def test_mirror_on_another_server_gets_no_secrets(bench: EngineBench) -> None:
    with two(Mirror(), Mirror()) as (one, other):
        secrets: dict[str, Any] = {
            "headers": {"Authorization": "Basic abc", "X-Page": "7"},
            "own_headers": {"Referer": "http://page.example/"},
            "cookies": {"session": "secret"},
        }
        assert bench.finished(one.url(), mirrors=[other.url()], **secrets) == DATA
    assert one.asked[0].headers["cookie"] == "session=secret"
    assert other.asked
    for asked in other.asked:
        assert asked.headers["x-page"] == "7"
        assert not {"cookie", "authorization", "referer"} & asked.headers.keys()
