"""Files from a server that does everything right."""

import threading
import time
from pathlib import Path

import pytest

from quartet.downloads.transfer import Finished, Paused
from quartet.kernel.errors import AppError
from tests.downloads.transfer.desk import Desk, content
from tests.downloads.transfer.servers import Nginx

BIG = content(24 * 1024 * 1024)


@pytest.fixture(autouse=True, scope="module")
def files(web: Nginx) -> None:
    web.add("big.bin", BIG)
    web.add("small.bin", BIG[:100_000])
    web.add("empty.bin", b"")
    web.add("page.html", b"<html><title>Hello there</title></html>")


@pytest.mark.parametrize("connections", [1, 4, 16])
def test_a_file_arrives_whole(web: Nginx, desk: Desk, connections: int) -> None:
    assert desk.finished(web.url("big.bin"), connections=connections) == BIG


def test_over_tls_with_http2(web: Nginx, desk: Desk) -> None:
    assert desk.finished(web.tls_url("big.bin"), connections=3) == BIG
    assert "HTTP/2" in web.requests()[-1]


def test_a_certificate_nobody_signed_is_refused(web: Nginx, tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    failed = desk.failed(web.tls_url("big.bin"))
    assert failed.problem.code == "network_error"
    assert failed.problem.inputs == {"reason": "certificate"}
    assert not failed.retryable
    desk.engine.stop()


def test_one_connection_asks_once(web: Nginx, desk: Desk) -> None:
    before = len(web.requests())
    assert desk.finished(web.url("big.bin"), connections=1) == BIG
    # nginx writes its log after the last byte: ask for something else and wait for that.
    desk.finished(web.url("small.bin?end"), id=2, connections=1)
    asked = [line for line in web.requests()[before:] if "big.bin" in line]
    assert len(asked) == 1


def test_the_address_may_move(web: Nginx, desk: Desk) -> None:
    outcome = desk.fetch(web.url("moved/big.bin"))
    assert isinstance(outcome, Finished)
    assert outcome.name_hint == "big.bin"
    assert desk.part().read_bytes() == BIG


def test_the_server_names_the_file(web: Nginx, desk: Desk) -> None:
    outcome = desk.fetch(web.url("named/big.bin"))
    assert isinstance(outcome, Finished)
    assert outcome.name_hint == "schön.bin"


@pytest.mark.parametrize("where", ["empty.bin", "plain/empty.bin"])
def test_an_empty_file(web: Nginx, desk: Desk, where: str) -> None:
    assert desk.finished(web.url(where)) == b""


def test_a_server_without_ranges(web: Nginx, desk: Desk) -> None:
    assert desk.finished(web.url("plain/big.bin"), connections=4) == BIG


def test_a_server_that_allows_one_connection(web: Nginx, desk: Desk) -> None:
    assert desk.finished(web.url("single/big.bin"), connections=4) == BIG


def test_pages_are_files_only_where_they_are_named_so(web: Nginx, desk: Desk) -> None:
    assert b"Hello" in desk.finished(web.url("page.html"))


def test_what_is_gone_is_offline(web: Nginx, desk: Desk) -> None:
    failed = desk.failed(web.url("nothing.bin"))
    assert (failed.problem.code, failed.offline, failed.retryable) == ("file_offline", True, False)
    assert list(desk.folder.iterdir()) == []


def test_pause_and_resume_end_in_the_same_bytes(web: Nginx, desk: Desk) -> None:
    for number in range(1, 4):
        desk.begin(web.url("slow/big.bin"), connections=4)
        desk.when(lambda seen, least=number * 300_000: seen.bytes_done > least)  # type: ignore[misc]
        assert desk.pause() == Paused(1)
        assert desk.state().exists()
    assert desk.finished(web.url("big.bin"), connections=4) == BIG


def test_a_resumed_file_is_not_asked_for_again(web: Nginx, desk: Desk) -> None:
    desk.begin(web.url("medium/big.bin"), connections=1)
    seen = desk.when(lambda seen: seen.bytes_done > 5_000_000)
    desk.pause()
    desk.begin(web.url("slow/big.bin"), connections=1)
    again = desk.when(lambda seen: seen.connections > 0)
    assert again.bytes_done >= seen.bytes_done
    desk.pause()


def test_stop_saves_everything(web: Nginx, desk: Desk) -> None:
    for number in (1, 2, 3):
        desk.begin(web.url("slow/big.bin"), id=number)
    for number in (1, 2, 3):
        desk.when(lambda seen, id=number: seen.id == id and seen.bytes_done > 0)  # type: ignore[misc]
    desk.engine.stop()
    assert {desk.wait() for _ in range(3)} == {Paused(1), Paused(2), Paused(3)}
    other = Desk(desk.folder)
    for number in (1, 2, 3):
        assert other.finished(web.url("big.bin"), id=number) == BIG
    other.engine.stop()


def test_one_id_runs_once(web: Nginx, desk: Desk) -> None:
    desk.begin(web.url("slow/big.bin"))
    with pytest.raises(AppError) as caught:
        desk.begin(web.url("slow/big.bin"))
    assert caught.value.code == "transfer_running"
    desk.pause()


def test_many_files_at_once(web: Nginx, desk: Desk) -> None:
    for number in range(100, 160):
        desk.begin(web.url("small.bin"), id=number)
    for _ in range(60):
        assert isinstance(desk.wait(), Finished)
    for number in range(100, 160):
        assert desk.part(number).read_bytes() == BIG[:100_000]


def test_work_is_stolen_from_a_slow_connection(web: Nginx, desk: Desk) -> None:
    desk.begin(web.url("medium/big.bin"), connections=4)
    seen = desk.when(lambda seen: len(seen.segments) >= 4)
    assert seen.segments[0][0] == 0
    assert seen.segments[-1][2] == len(BIG)
    assert isinstance(desk.wait(), Finished)
    assert desk.part().read_bytes() == BIG


@pytest.mark.parametrize("scope", ["all", "group", "one"])
def test_a_limit_is_kept_and_changes_live(web: Nginx, desk: Desk, scope: str) -> None:
    which = {"all": {}, "group": {"group": 5}, "one": {"id": 1}}[scope]
    rate = 2_000_000
    desk.engine.limit(rate, **which)
    requests = len(web.requests())
    desk.begin(web.url("big.bin"), connections=4, group=5, min_segment=len(BIG) // 5)
    first = desk.when(lambda seen: seen.bytes_done > 0)
    began, cpu = time.monotonic(), time.process_time()
    threading.Event().wait(3)
    later = desk.engine.snapshots()[0]
    speed = (later.bytes_done - first.bytes_done) / (time.monotonic() - began)
    # A busy machine may be slower than it is allowed to be, but never quicker.
    assert 0.8 * rate < speed < 1.05 * rate
    # Waiting costs nothing: three seconds at the limit are a fraction of one of work.
    assert time.process_time() - cpu < 1
    desk.engine.limit(None, **which)
    assert isinstance(desk.wait(), Finished)
    assert desk.part().read_bytes() == BIG
    assert len(web.requests()) <= requests + 4, "connections were made anew"


def test_a_header_cannot_smuggle_another_one(web: Nginx, desk: Desk) -> None:
    failed = desk.failed(web.url("big.bin"), headers={"X-Bad": "a\r\nX-Injected: 1"})
    assert failed.problem.code == "bad_address"
