"""Hostile case 3, the whole service: killed 50 times in its jobs it loses and doubles nothing."""

import os
import random
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from quartet.media.jobs.tables import items
from quartet.media.moves.tables import operations
from tests.media.house import House
from tests.media.service_victim import Victim, nursery
from tests.prerequisites import second_file_system

KILLS = int(os.environ.get("MEDIA_KILLS", "50"))
# A film goes to the other disk, a series does not; every second one replaces a file.
FILMS = [("Inception", 2010), ("Heat", 1995), ("Alien", 1979), ("Fargo", 1996), ("Seven", 1995)]
EPISODES = 12
FILM_SIZE = 3_000_000
TEMPLATES = {"movie": "{n}/{n}", "series": "{n}/{s00e00}"}


def fill(house: House) -> None:
    for number, (title, year) in enumerate(FILMS):
        name = f"{title}.{year}.1080p.BluRay.x264-GRP"
        house.file(f"downloads/{name}/{name}.mkv", f"{title} " * (FILM_SIZE // 8))
        house.file(f"downloads/{name}/{name}.en.srt", f"words of {title}")
        house.file(f"downloads/{name}/Thumbs.db", f"junk of {title}")
        if number % 2:
            (house.far / title).mkdir()
            (house.far / title / f"{title}.mkv").write_text(f"old {title}")
    for number in range(1, EPISODES + 1):
        house.file(f"downloads/Firefly.S01E{number:02}.720p/Firefly.S01E{number:02}.mkv")
        if number % 2:
            house.file(f"library/Firefly/S01E{number:02}.mkv", f"old episode {number}")


class Worker:
    """Somebody who starts something and does not live to see its end."""

    def __init__(self, house: House, chance: random.Random) -> None:
        self._config: dict[str, Any] = {
            "conflictPolicy": "overwrite",
            "targets": {"movie": str(house.far), "series": str(house.library)},
        }
        self._downloads = str(house.downloads)
        self._chance = chance

    def begin(self, victim: Victim) -> None:
        if self._chance.random() < 0.3 or not any(Path(self._downloads).iterdir()):
            victim.ask_unheard("/api/history/undo", {"since": 0})
        elif self._chance.random() < 0.5:
            victim.ask("POST", "/api/jobs", {"path": self._downloads, "watchFolder": "New"})
        else:
            how = {"action": "move", "threshold": 0}
            body = {"paths": [self._downloads], **how, **self._config}
            job = victim.ask("POST", "/api/jobs/manual", body)["jobId"]
            ready = next(one for one in victim.rested() if one["jobId"] == job)
            if ready["items"]["ready"]:
                victim.ask_unheard(f"/api/jobs/{job}/execute", {})

    def prepare(self, victim: Victim) -> None:
        """A watch folder too: its jobs go on by themselves after a restart."""
        self._config["formats"] = {
            kind: victim.ask("POST", "/api/formats", {"name": kind, "kind": kind, "template": one})[
                "id"
            ]
            for kind, one in TEMPLATES.items()
        }
        how = {"name": "New", "path": self._downloads, "enabled": False, "autoThreshold": 0}
        victim.ask("POST", "/api/watch-folders", how | self._config)


def check(house: House, victim: Victim, contents: Any) -> None:
    """What is on the disk, what the history says and what the jobs say are one."""
    victim.rested()
    assert house.contents() == contents
    house.check_history()
    live = {row.item_id for row in house.rows() if row.state == "done"} - {None}
    with house.db.engine.connect() as conn:
        assert live == set(
            conn.execute(select(items.c.id).where(items.c.state == "done")).scalars()
        )


def await_something(house: House, chance: random.Random) -> None:
    """Mostly until files are touched, and then a moment: nobody knows where it is by then."""
    until = time.monotonic() + (0.6 if chance.random() < 0.8 else chance.uniform(0, 0.2))
    while time.monotonic() < until and not states(house) & {"intended", "undoing"}:
        time.sleep(0.005)
    time.sleep(chance.uniform(0, 0.05))


def states(house: House) -> set[str]:
    with house.db.engine.connect() as conn:
        return set(conn.execute(select(operations.c.state).distinct()).scalars())


@pytest.mark.timeout(60 + 3 * KILLS)
def test_killed_at_random_points(tmp_path: Path) -> None:
    chance = random.Random(5)
    with second_file_system(tmp_path) as far:
        house = House(tmp_path, far)
        fill(house)
        contents, tree = house.contents(), house.tree()
        worker = Worker(house, chance)
        with nursery(tmp_path / "config") as nurse:
            with nurse.victim() as victim:
                worker.prepare(victim)
            seen: Counter[str] = Counter()
            for _ in range(KILLS):
                with nurse.victim() as victim:
                    check(house, victim, contents)
                    worker.begin(victim)
                    await_something(house, chance)
                seen.update(states(house))
            with nurse.victim() as victim:
                check(house, victim, contents)
                assert victim.ask("POST", "/api/history/undo", {"since": 0})["failed"] == []
                assert house.tree() == tree
                check(house, victim, contents)
        house.db.close()
    assert seen["intended"] and seen["undoing"]
