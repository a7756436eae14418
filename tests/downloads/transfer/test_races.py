"""Hostile case 17: pause, resume and delete at the worst moments."""

import random
import threading
from pathlib import Path

import pytest

from quartet.downloads.transfer import Failed, Finished, Paused, discard
from quartet.kernel.errors import AppError
from tests.downloads.transfer.desk import Desk, content
from tests.downloads.transfer.servers import Asked, Nginx, Send, answer_head, liar

DATA = content(3_000_000)


def test_17_pause_and_go_on_at_any_moment(web: Nginx, desk: Desk) -> None:
    web.add("race.bin", DATA)
    chance = random.Random(17)
    for _ in range(40):
        desk.begin(web.url("medium/race.bin"), connections=3)
        threading.Event().wait(chance.choice([0, 0, 0.001, 0.005, 0.02, 0.1]))
        desk.engine.pause(1)
        desk.engine.pause(1)
        outcome = desk.wait()
        assert isinstance(outcome, Paused | Finished)
    assert desk.finished(web.url("race.bin")) == DATA
    assert desk.outcomes.empty()


def test_17_delete_at_any_moment(web: Nginx, desk: Desk) -> None:
    web.add("race.bin", DATA)
    chance = random.Random(18)
    for _ in range(40):
        desk.begin(web.url("medium/race.bin"), connections=3)
        threading.Event().wait(chance.choice([0, 0, 0.001, 0.005, 0.02, 0.1]))
        desk.pause()
        discard(desk.part())
        assert list(desk.folder.iterdir()) == []
    assert desk.outcomes.empty()
    assert desk.engine.snapshots() == []


def test_17_many_at_once_each_told_once(web: Nginx, desk: Desk) -> None:
    web.add("race.bin", DATA)
    chance = random.Random(19)
    for number in range(60):
        desk.begin(web.url("medium/race.bin"), id=number, connections=2)
        if chance.random() < 0.6:
            desk.engine.pause(chance.randrange(number + 1))
    desk.engine.stop()
    told = [desk.wait() for _ in range(60)]
    assert sorted(outcome.id for outcome in told) == list(range(60))
    assert not [outcome for outcome in told if isinstance(outcome, Failed)]


def test_17_pause_while_a_changed_file_starts_anew(desk: Desk) -> None:
    versions = iter(range(1000))

    def script(asked: Asked, send: Send) -> None:
        number = next(versions)
        send(answer_head(DATA, asked, f'ETag: "{number}"') + DATA[:100_000])

    with liar(script) as server:
        for _ in range(20):
            desk.begin(server.url(), connections=2)
            desk.engine.pause(1)
            assert isinstance(desk.wait(), Paused | Failed)


def test_17_an_engine_that_stopped_takes_nothing_more(tmp_path: Path) -> None:
    for _ in range(100):
        desk = Desk(tmp_path)
        desk.engine.stop()
        desk.engine.stop()
    with pytest.raises(AppError) as caught:
        desk.begin("http://127.0.0.1:9/")
    assert caught.value.code == "transfer_stopped"


def test_17_what_is_not_there_may_be_stopped(desk: Desk) -> None:
    desk.engine.pause(99)
    desk.engine.limit(5, id=99)
    assert desk.outcomes.empty()
