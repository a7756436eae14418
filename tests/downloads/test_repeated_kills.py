"""A server with all kinds of work is killed fifty times; nothing is lost or duplicated."""

import time
from pathlib import Path
from random import Random
from typing import Any

import httpx

from tests.downloads.archives.make_archives import leftovers, tree
from tests.downloads.killed import Moment, Servers
from tests.downloads.mixed_queue import Round, put_folder_plugin, web
from tests.rounds import NIGHTLY, kill_rounds

KILLS = kill_rounds(50)
# Each round adds work of every kind.
ROUNDS = 5 if NIGHTLY else 2
SECONDS = 60.0


def test_killing_server_fifty_times_loses_nothing(tmp_path: Path) -> None:
    chance = Random(12)
    servers = Servers(tmp_path)
    with web() as files:
        rounds = [Round(number, files, tmp_path / "pack") for number in range(ROUNDS)]
        put_folder_plugin(tmp_path / "data", files)
        busy = 0
        for kill in range(KILLS):
            due, rest = divmod(kill, KILLS // ROUNDS)
            one_life(servers, chance, None if rest else rounds[due])
            busy += at_work(tmp_path / "data" / "downloads")
        with servers.start() as process, servers.client(process) as ada:
            packages = finished(ada)
    assert busy > KILLS // 2, "it had nothing to do most of the time"
    right(tmp_path / "data" / "downloads", rounds)
    downloads = [each for package in packages for each in package["downloads"]]
    assert len(downloads) == sum(each.downloads for each in rounds)
    summed = [each for each in downloads if each["name"].startswith("summed-")]
    assert {each["hashOk"] for each in summed} == {True}
    assert len(summed) == 3 * ROUNDS


def one_life(servers: Servers, chance: Random, work: Round | None) -> None:
    moment = None
    if work is None and chance.random() < 0.5:
        moment = Moment(chance.randint(1, 40), chance.choice(("before", "after")))
    with servers.start(moment) as process:
        if work:
            with servers.client(process) as ada:
                ask(ada, work)
            time.sleep(chance.uniform(0, 0.3))
        else:
            process.join(chance.uniform(0.1, 0.7))
        process.kill()
        process.join()


def at_work(data: Path) -> bool:
    """Return whether the server was killed while it was downloading or extracting."""
    return any((data / "tmp").glob("*.part")) or bool(leftovers(data / "done"))


def ask(ada: httpx.Client, work: Round) -> None:
    settings = {"maxParallel": 6, "deleteArchives": True, "maxRetries": 50}
    assert ada.put("/api/settings", json=settings).status_code == 200
    for body in work.bodies:
        answer = ada.post("/api/links", json=body)
        assert answer.status_code == 200, answer.text


def finished(ada: httpx.Client) -> list[dict[str, Any]]:
    """Return all packages once nothing is left to do."""
    end = time.monotonic() + SECONDS
    while True:
        packages: list[dict[str, Any]] = ada.get("/api/packages?limit=1000").json()["packages"]
        states = {each["status"] for package in packages for each in package["downloads"]}
        unpacking = [each for each in packages if is_archive(each) and each["extract"] != "done"]
        if states == {"finished"} and not unpacking:
            return packages
        assert time.monotonic() < end, (states, unpacking)
        time.sleep(0.1)


def is_archive(package: dict[str, Any]) -> bool:
    return package["name"].split()[0] in ("Zip", "Secret", "Parts")


def right(data: Path, rounds: list[Round]) -> None:
    lying = tree(data / "done")
    for each in rounds:
        names = [f"Twins {each.number}/{name}" for name in ("twin.bin", "twin (1).bin")]
        assert {lying.pop(name) for name in names} == each.twins
    expected = {name: data for each in rounds for name, data in each.expected.items()}
    assert sorted(lying) == sorted(expected)
    assert [name for name, data in expected.items() if lying[name] != data] == []
    assert tree(data / "tmp") == {}
