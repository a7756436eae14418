"""Files from a correct server."""

import threading
import time
from pathlib import Path

import pytest

from quartet.downloads.transfer import Finished, Paused
from quartet.kernel.errors import AppError
from tests.downloads.transfer.engine_bench import SECONDS, EngineBench, content
from tests.downloads.transfer.servers import (
    Nginx,
    ReceivedRequest,
    Send,
    answer_head,
    scripted_server,
)

BIG = content(24 * 1024 * 1024)


@pytest.fixture(autouse=True, scope="module")
def files(web: Nginx) -> None:
    web.add("big.bin", BIG)
    web.add("small.bin", BIG[:100_000])
    web.add("empty.bin", b"")
    web.add("page.html", b"<html><title>Hello there</title></html>")


@pytest.mark.parametrize("connections", [1, 4, 16])
def test_file_is_complete(web: Nginx, bench: EngineBench, connections: int) -> None:
    assert bench.finished(web.url("big.bin"), connections=connections) == BIG


def test_tls_with_http2(web: Nginx, bench: EngineBench) -> None:
    assert bench.finished(web.tls_url("big.bin"), connections=3) == BIG
    assert "HTTP/2" in web.requests()[-1]


def test_tls_uses_the_cipher_that_costs_least(web: Nginx, bench: EngineBench) -> None:
    """AES with 128 bits in TLS 1.3 and in TLS 1.2, which older versions of nginx offer at most."""
    cipher = bench.finished(web.tls_url("cipher"))
    assert cipher in (b"TLS_AES_128_GCM_SHA256", b"ECDHE-RSA-AES128-GCM-SHA256")


def test_untrusted_certificate_is_rejected(web: Nginx, tmp_path: Path) -> None:
    bench = EngineBench(tmp_path)
    failed = bench.failed(web.tls_url("big.bin"))
    assert failed.problem.code == "network_error"
    assert failed.problem.inputs == {"reason": "certificate"}
    assert not failed.retryable
    bench.engine.stop()


def test_single_connection_sends_one_request(web: Nginx, bench: EngineBench) -> None:
    assert bench.finished(web.url("big.bin?single"), connections=1) == BIG
    # nginx logs after the last byte, so request something else and wait for that.
    bench.finished(web.url("small.bin?end"), id=2, connections=1)
    assert sum("big.bin?single" in line for line in web.requests()) == 1


def test_redirect_is_followed(web: Nginx, bench: EngineBench) -> None:
    outcome = bench.fetch(web.url("moved/big.bin"))
    assert isinstance(outcome, Finished)
    assert outcome.name_hint == "big.bin"
    assert bench.part().read_bytes() == BIG


def test_server_names_the_file(web: Nginx, bench: EngineBench) -> None:
    outcome = bench.fetch(web.url("named/big.bin"))
    assert isinstance(outcome, Finished)
    assert outcome.name_hint == "schön.bin"


@pytest.mark.parametrize("where", ["empty.bin", "plain/empty.bin"])
def test_empty_file(web: Nginx, bench: EngineBench, where: str) -> None:
    assert bench.finished(web.url(where)) == b""


def test_server_without_ranges(web: Nginx, bench: EngineBench) -> None:
    assert bench.finished(web.url("plain/big.bin"), connections=4) == BIG


def test_server_that_allows_one_connection(web: Nginx, bench: EngineBench) -> None:
    assert bench.finished(web.url("single/big.bin"), connections=4) == BIG


def test_html_page_is_accepted_if_url_names_one(web: Nginx, bench: EngineBench) -> None:
    assert b"Hello" in bench.finished(web.url("page.html"))


def test_missing_file_is_offline(web: Nginx, bench: EngineBench) -> None:
    failed = bench.failed(web.url("nothing.bin"))
    assert (failed.problem.code, failed.offline, failed.retryable) == ("file_offline", True, False)
    assert list(bench.folder.iterdir()) == []


def test_pause_and_resume_give_the_same_bytes(web: Nginx, bench: EngineBench) -> None:
    for number in range(1, 4):
        bench.begin(web.url("slow/big.bin"), connections=4)
        bench.when(lambda seen, least=number * 300_000: seen.bytes_done > least)  # type: ignore[misc]
        bench.pause()
        assert bench.state().exists()
    assert bench.finished(web.url("big.bin"), connections=4) == BIG


def test_resumed_download_keeps_its_bytes(web: Nginx, bench: EngineBench) -> None:
    bench.begin(web.url("medium/big.bin"), connections=1)
    seen = bench.when(lambda seen: seen.bytes_done > 5_000_000)
    bench.pause()
    bench.begin(web.url("slow/big.bin"), connections=1)
    again = bench.when(lambda seen: seen.connections > 0)
    assert again.bytes_done >= seen.bytes_done
    bench.pause()


def test_stop_saves_all_downloads(web: Nginx, bench: EngineBench) -> None:
    for number in (1, 2, 3):
        bench.begin(web.url("slow/big.bin"), id=number)
    for number in (1, 2, 3):
        bench.when(lambda seen, id=number: seen.id == id and seen.bytes_done > 0)  # type: ignore[misc]
    bench.engine.stop()
    assert {bench.wait() for _ in range(3)} == {Paused(1), Paused(2), Paused(3)}
    other = EngineBench(bench.folder)
    for number in (1, 2, 3):
        assert other.finished(web.url("big.bin"), id=number) == BIG
    other.engine.stop()


def test_job_id_cannot_run_twice(web: Nginx, bench: EngineBench) -> None:
    bench.begin(web.url("slow/big.bin"))
    with pytest.raises(AppError) as caught:
        bench.begin(web.url("slow/big.bin"))
    assert caught.value.code == "transfer_running"
    bench.pause()


def test_many_files_at_once(web: Nginx, bench: EngineBench) -> None:
    for number in range(100, 160):
        bench.begin(web.url("small.bin"), id=number)
    for _ in range(60):
        assert isinstance(bench.wait(), Finished)
    for number in range(100, 160):
        assert bench.part(number).read_bytes() == BIG[:100_000]


def test_speed_includes_files_that_end_before_it_is_measured(
    web: Nginx, bench: EngineBench
) -> None:
    deadline = time.monotonic() + SECONDS
    id = 200
    while bench.engine.speed == 0:
        assert time.monotonic() < deadline
        bench.finished(web.url("small.bin"), id=id)
        id += 1


def test_segments_are_split(web: Nginx, bench: EngineBench) -> None:
    bench.begin(web.url("medium/big.bin"), connections=4)
    seen = bench.when(lambda seen: len(seen.segments) >= 4)
    assert seen.segments[0][0] == 0
    assert seen.segments[-1][2] == len(BIG)
    assert isinstance(bench.wait(), Finished)
    assert bench.part().read_bytes() == BIG


@pytest.mark.parametrize("scope", ["all", "group", "one"])
def test_speed_limit_applies_and_can_change(web: Nginx, bench: EngineBench, scope: str) -> None:
    which = {"all": {}, "group": {"group": 5}, "one": {"id": 1}}[scope]
    rate = 2_000_000
    bench.engine.limit(rate, **which)
    # The query tells these requests from aborted ones of earlier tests, which are logged late.
    path = f"big.bin?limited-{scope}"
    bench.begin(web.url(path), connections=4, group=5, min_segment=len(BIG) // 5)
    first = bench.when(lambda seen: seen.bytes_done > 0)
    began, cpu = time.monotonic(), time.process_time()
    threading.Event().wait(3)
    later = bench.engine.snapshots()[0]
    speed = (later.bytes_done - first.bytes_done) / (time.monotonic() - began)
    # A busy machine may be slower than the limit, but never faster.
    assert 0.3 * rate < speed < 1.05 * rate
    # Waiting uses almost no CPU time.
    assert time.process_time() - cpu < 1
    bench.engine.limit(None, **which)
    assert isinstance(bench.wait(), Finished)
    assert bench.part().read_bytes() == BIG
    bench.finished(web.url("small.bin?end"), id=2, connections=1)
    asked = sum(path in line for line in web.requests())
    assert 1 <= asked <= 4, "new connections were made"


def test_speed_limit_applies_to_request_that_began_without_one(bench: EngineBench) -> None:
    limited = threading.Event()
    half, rate = len(BIG) // 2, 1_000_000

    def script(asked: ReceivedRequest, send: Send) -> None:
        send(answer_head(BIG, asked) + BIG[:half])
        assert limited.wait(60)
        send(BIG[half:])

    with scripted_server(script) as server:
        bench.begin(server.url(), connections=1)
        first = bench.when(lambda seen: seen.bytes_done >= half)
        bench.engine.limit(rate)
        # The limit is applied by another thread.
        threading.Event().wait(0.3)
        began = time.monotonic()
        limited.set()
        threading.Event().wait(2)
        done = bench.engine.snapshots()[0].bytes_done - first.bytes_done
        # Up to a quarter of a second may be caught up with.
        assert 0 < done < 1.05 * rate * (time.monotonic() - began + 0.25)
        bench.engine.limit(None)
        assert isinstance(bench.wait(), Finished)
    assert bench.part().read_bytes() == BIG


def test_header_injection_is_rejected(web: Nginx, bench: EngineBench) -> None:
    failed = bench.failed(web.url("big.bin"), headers={"X-Bad": "a\r\nX-Injected: 1"})
    assert failed.problem.code == "bad_address"
