"""A whole service that is killed again and again during jobs loses and duplicates nothing."""

import random
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from quartet.media.jobs.tables import items
from quartet.media.moves.tables import operations
from tests.media.move_sandbox import MoveSandbox
from tests.media.service_kill_target import KillableService, service_forker
from tests.prerequisites import second_file_system
from tests.rounds import kill_rounds

KILLS = kill_rounds(50)
# Movies go to the other disk, series do not; every second one replaces a file.
FILMS = [("Inception", 2010), ("Heat", 1995), ("Alien", 1979), ("Fargo", 1996), ("Seven", 1995)]
EPISODES = 12
FILM_SIZE = 3_000_000
TEMPLATES = {"movie": "{n}/{n}", "series": "{n}/{s00e00}"}


def fill(sandbox: MoveSandbox) -> None:
    for number, (title, year) in enumerate(FILMS):
        name = f"{title}.{year}.1080p.BluRay.x264-GRP"
        sandbox.file(f"downloads/{name}/{name}.mkv", f"{title} " * (FILM_SIZE // 8))
        sandbox.file(f"downloads/{name}/{name}.en.srt", f"words of {title}")
        sandbox.file(f"downloads/{name}/Thumbs.db", f"junk of {title}")
        if number % 2:
            (sandbox.far / title).mkdir()
            (sandbox.far / title / f"{title}.mkv").write_text(f"old {title}")
    for number in range(1, EPISODES + 1):
        sandbox.file(f"downloads/Firefly.S01E{number:02}.720p/Firefly.S01E{number:02}.mkv")
        if number % 2:
            sandbox.file(f"library/Firefly/S01E{number:02}.mkv", f"old episode {number}")


class RandomClient:
    """Starts random operations on a service that is then killed."""

    def __init__(self, sandbox: MoveSandbox, chance: random.Random) -> None:
        self._config: dict[str, Any] = {
            "conflictPolicy": "overwrite",
            "targets": {"movie": str(sandbox.far), "series": str(sandbox.library)},
        }
        self._downloads = str(sandbox.downloads)
        self._chance = chance

    def begin(self, service: KillableService) -> None:
        if self._chance.random() < 0.3 or not any(Path(self._downloads).iterdir()):
            service.send_without_reply("/api/history/undo", {"since": 0})
        elif self._chance.random() < 0.5:
            service.ask("POST", "/api/jobs", {"path": self._downloads, "watchFolder": "New"})
        else:
            how = {"action": "move", "threshold": 0}
            body = {"paths": [self._downloads], **how, **self._config}
            job = service.ask("POST", "/api/jobs/manual", body)["jobId"]
            ready = next(one for one in service.wait_until_idle() if one["jobId"] == job)
            if ready["items"]["ready"]:
                service.send_without_reply(f"/api/jobs/{job}/execute", {})

    def prepare(self, service: KillableService) -> None:
        """Also add a watch folder, whose jobs continue after a restart."""
        self._config["formats"] = {
            kind: service.ask(
                "POST", "/api/formats", {"name": kind, "kind": kind, "template": one}
            )["id"]
            for kind, one in TEMPLATES.items()
        }
        how = {"name": "New", "path": self._downloads, "enabled": False, "autoThreshold": 0}
        service.ask("POST", "/api/watch-folders", how | self._config)


def check(sandbox: MoveSandbox, service: KillableService, contents: Any) -> None:
    """Check that disk, history and jobs agree."""
    service.wait_until_idle()
    assert sandbox.contents() == contents
    sandbox.check_history()
    live = {row.item_id for row in sandbox.rows() if row.state == "done"} - {None}
    with sandbox.db.engine.connect() as conn:
        assert live == set(
            conn.execute(select(items.c.id).where(items.c.state == "done")).scalars()
        )


def wait_for_file_changes(sandbox: MoveSandbox, chance: random.Random) -> None:
    """Usually wait until files are being changed, then a moment longer."""
    until = time.monotonic() + (0.6 if chance.random() < 0.8 else chance.uniform(0, 0.2))
    while time.monotonic() < until and not states(sandbox) & {"intended", "undoing"}:
        time.sleep(0.005)
    time.sleep(chance.uniform(0, 0.05))


def states(sandbox: MoveSandbox) -> set[str]:
    with sandbox.db.engine.connect() as conn:
        return set(conn.execute(select(operations.c.state).distinct()).scalars())


@pytest.mark.timeout(60 + 15 * KILLS)
def test_killed_at_random_points(tmp_path: Path) -> None:
    chance = random.Random(5)
    with second_file_system(tmp_path) as far:
        sandbox = MoveSandbox(tmp_path, far)
        fill(sandbox)
        contents, tree = sandbox.contents(), sandbox.tree()
        client = RandomClient(sandbox, chance)
        with service_forker(tmp_path / "config") as forker:
            with forker.service() as service:
                client.prepare(service)
            seen: Counter[str] = Counter()
            for number in range(3 * KILLS):
                # On a busy machine the first kills may all miss the moments that matter.
                if number >= KILLS and seen["intended"] and seen["undoing"]:
                    break
                with forker.service() as service:
                    check(sandbox, service, contents)
                    client.begin(service)
                    wait_for_file_changes(sandbox, chance)
                seen.update(states(sandbox))
            with forker.service() as service:
                check(sandbox, service, contents)
                assert service.ask("POST", "/api/history/undo", {"since": 0})["failed"] == []
                assert sandbox.tree() == tree
                check(sandbox, service, contents)
        sandbox.db.close()
    assert seen["intended"] and seen["undoing"]
