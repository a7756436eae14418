"""Pausing, resuming and deleting at critical moments."""

import random
import threading
from pathlib import Path

import pytest

from quartet.downloads.transfer import Failed, Finished, Paused, discard
from quartet.kernel.errors import AppError
from tests.downloads.transfer.engine_bench import EngineBench, content
from tests.downloads.transfer.servers import (
    Nginx,
    ReceivedRequest,
    Send,
    answer_head,
    scripted_server,
)

DATA = content(3_000_000)


def test_pause_and_resume_at_any_moment(web: Nginx, bench: EngineBench) -> None:
    web.add("race.bin", DATA)
    chance = random.Random(17)
    for _ in range(40):
        bench.begin(web.url("medium/race.bin"), connections=3)
        threading.Event().wait(chance.choice([0, 0, 0.001, 0.005, 0.02, 0.1]))
        bench.engine.pause(1)
        bench.engine.pause(1)
        outcome = bench.wait()
        assert isinstance(outcome, Paused | Finished)
    assert bench.finished(web.url("race.bin")) == DATA
    assert bench.outcomes.empty()


def test_delete_at_any_moment(web: Nginx, bench: EngineBench) -> None:
    web.add("race.bin", DATA)
    chance = random.Random(18)
    for _ in range(40):
        bench.begin(web.url("medium/race.bin"), connections=3)
        threading.Event().wait(chance.choice([0, 0, 0.001, 0.005, 0.02, 0.1]))
        bench.engine.pause(1)
        assert isinstance(bench.wait(), Paused | Finished)
        discard(bench.part())
        assert list(bench.folder.iterdir()) == []
    assert bench.outcomes.empty()
    assert bench.engine.snapshots() == []


def test_each_of_many_jobs_is_reported_once(web: Nginx, bench: EngineBench) -> None:
    web.add("race.bin", DATA)
    chance = random.Random(19)
    for number in range(60):
        bench.begin(web.url("medium/race.bin"), id=number, connections=2)
        if chance.random() < 0.6:
            bench.engine.pause(chance.randrange(number + 1))
    bench.engine.stop()
    outcomes = [bench.wait() for _ in range(60)]
    assert sorted(outcome.id for outcome in outcomes) == list(range(60))
    assert not [outcome for outcome in outcomes if isinstance(outcome, Failed)]


def test_pause_while_changed_file_starts_over(bench: EngineBench) -> None:
    versions = iter(range(1000))

    def script(asked: ReceivedRequest, send: Send) -> None:
        number = next(versions)
        send(answer_head(DATA, asked, f'ETag: "{number}"') + DATA[:100_000])

    with scripted_server(script) as server:
        for _ in range(20):
            bench.begin(server.url(), connections=2)
            bench.engine.pause(1)
            assert isinstance(bench.wait(), Paused | Failed)


def test_stopped_engine_rejects_jobs(tmp_path: Path) -> None:
    for _ in range(100):
        bench = EngineBench(tmp_path)
        bench.engine.stop()
        bench.engine.stop()
    with pytest.raises(AppError) as caught:
        bench.begin("http://127.0.0.1:9/")
    assert caught.value.code == "transfer_stopped"


def test_unknown_id_can_be_paused_and_limited(bench: EngineBench) -> None:
    bench.engine.pause(99)
    bench.engine.limit(5, id=99)
    assert bench.outcomes.empty()
