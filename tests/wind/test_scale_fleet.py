"""Two web processes and two workers on one PostgreSQL, one Redis and one bucket."""

import os
import re
import secrets
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from email import message_from_bytes, policy
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from aiosmtpd.controller import Controller
from redis import Redis

from quartet.kernel.auth.sessions import CACHE_SECONDS
from quartet.wind.models.catalogue import MODELS
from tests.process import Running
from tests.real_servers import free_port
from tests.wind.fleet import Fleet, address, ask, fleet_of, kill, wait_for
from tests.wind.scale_people import many_alarms, session_of

# Seven processes start on two busy cores. The tests of sessions, throttling and leaders in
# `tests/kernel` cover the same code with less.
pytestmark = [pytest.mark.timeout(300), pytest.mark.nightly]

MODEL = next(model for model in MODELS if model.id == "icon-d2")
ALARMS = 6000
MAILS = 40
BREAK = 0.1


class Letters:
    """Counts the mails about each spot; one mail lists all spots of a person."""

    def __init__(self) -> None:
        self.spots: Counter[str] = Counter()

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:
        mail = message_from_bytes(envelope.content, policy=policy.default)
        body = mail.get_body(("plain",))
        assert body is not None
        self.spots.update(set(re.findall(r"Spot \d+", body.get_content())))
        return "250 OK"


@pytest.fixture(scope="module")
def letters() -> Iterator[tuple[Letters, int]]:
    box, port = Letters(), free_port()
    controller = Controller(box, hostname="127.0.0.1", port=port)
    controller.start()
    yield box, port
    controller.stop()


@pytest.fixture(scope="module")
def database(postgres: str) -> Iterator[str]:
    name = f"fleet_{secrets.token_hex(6)}"
    with psycopg.connect(postgres, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        yield postgres.removesuffix("postgres") + name
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="module")
def fleet(
    tmp_path_factory: pytest.TempPathFactory,
    database: str,
    redis_url: str,
    letters: tuple[Letters, int],
) -> Iterator[Fleet]:
    folder: Path = tmp_path_factory.mktemp("fleet")
    mail = {
        "WIND_SMTP_HOST": "127.0.0.1",
        "WIND_SMTP_PORT": str(letters[1]),
        "WIND_SMTP_SECURITY": "none",
        "WIND_MAIL_FROM": "Wind <wind@example.org>",
        "WIND_DRAIN_SECONDS": "1.5",
    }
    with fleet_of(folder, database, redis_url, MODEL.id, **mail) as found, found.stack:
        yield found
        # All at once, because each takes a while to stop.
        for each in found.running:
            each.process.terminate()


@pytest.fixture(scope="module")
def webs(fleet: Fleet, workers: dict[int, Running]) -> list[Running]:
    return [each for each in fleet.running if each.process.pid not in workers]


@pytest.fixture(scope="module")
def run() -> int:
    """Return the newest run that is complete by now; it may differ from the one at import."""
    return MODEL.run_at_or_before(time.time() - MODEL.delay - MODEL.span)


@pytest.fixture(scope="module")
def workers(fleet: Fleet, run: int) -> dict[int, Running]:
    """Return workers by process id. One file is held back, so that a worker is busy with it."""
    fleet.publish(MODEL, run)
    last = MODEL.steps_of(run)[-1]
    fleet.upstream.hold(f"PT{last:03d}H00M.grib2")
    fleet.start(first_web="web", second_web="web", first="worker", second="worker")
    return {each.process.pid: each for each in fleet.running[2:]}


def test_run_is_completed_although_a_worker_is_killed(
    fleet: Fleet, workers: dict[int, Running], webs: list[Running], run: int
) -> None:
    assert fleet.upstream.waiting.wait(120)
    kill(workers.pop(fleet.holder()))
    fleet.upstream.release()
    hours = [wait_for(partial(hour_of, web), "the run is served") for web in webs]
    assert hours[0] == hours[1] == {"run": run, "step": 0, "time": run}
    # Identical to the last byte and tag, because users reach one process or the other.
    for path in (f"/api/map/{MODEL.id}/{run}/48.png", f"/api/map/{MODEL.id}/{run}/0.json"):
        first, second = (ask(address(web) + path) for web in webs)
        assert first.status_code == 200, first.text
        assert first.content == second.content
        assert first.headers["etag"] == second.headers["etag"]
        assert "immutable" in first.headers["cache-control"]
    points = [ask(address(web) + "/api/map/series?lat=54&lon=10").json() for web in webs]
    assert points[0] == points[1]


def hour_of(web: Running) -> Any:
    models = ask(address(web) + "/api/map").json()["models"]
    return models[0]["hours"][0] if models else None


def test_alert_is_sent_once_although_the_leader_is_killed(
    fleet: Fleet,
    workers: dict[int, Running],
    webs: list[Running],
    database: str,
    letters: tuple[Letters, int],
) -> None:
    (another,) = fleet.start(third="worker")
    workers[another.process.pid] = another
    wait_for(lambda: mirrored(another), "the new worker has the run")
    people = many_alarms(database, ALARMS, MAILS, MODEL.id)
    with psycopg.connect(database, autocommit=True, options="-c search_path=wind") as db:
        change = {
            "enabled": True,
            "windMin": 3,
            "hours": {"from": 0, "to": 24},
            "weekdays": [1, 2, 3, 4, 5, 6, 7],
            "leadHours": 48,
            "minHours": 1,
            "channels": {"push": False, "email": True},
            "model": MODEL.id,
        }
        alarm = f"{address(webs[0])}/api/alarms/{people.spots[0]}"
        answer = ask(alarm, "PUT", cookies=people.cookies, json=change)
        assert answer.status_code == 200, answer.text
        wait_for(lambda: 0 < unseen(db) < ALARMS, "the first alarms are looked through")
        kill(workers.pop(leader(db)))
        assert unseen(db) > 0, "it was not in the middle"
        wait_for(lambda: unseen(db) == 0, "the other one went on")
        wait_for(lambda: not waiting(db), "all mails are sent")
        sent = db.execute("SELECT alarm FROM alarm_messages WHERE state = 'sent'").fetchall()
    assert {alarm for (alarm,) in sent} == set(people.spots[:MAILS])
    assert letters[0].spots == Counter(f"Spot {number}" for number in range(MAILS))


def mirrored(worker: Running) -> bool:
    return hour_of(worker) is not None


def leader(db: psycopg.Connection[Any]) -> int:
    # Transactions hold advisory locks as well, but only for a moment.
    while True:
        names = db.execute(
            "SELECT DISTINCT application_name FROM pg_locks JOIN pg_stat_activity USING (pid)"
            " WHERE locktype = 'advisory' AND granted AND application_name LIKE '%-%'"
        ).fetchall()
        if len(names) == 1:
            return int(names[0][0].rpartition("-")[2])


def unseen(db: psycopg.Connection[Any]) -> int:
    counted = db.execute("SELECT count(*) FROM alarms WHERE seen_revision < revision").fetchone()
    assert counted is not None
    return int(counted[0])


def waiting(db: psycopg.Connection[Any]) -> bool:
    open_ones = "SELECT 1 FROM alarm_messages WHERE state IN ('waiting', 'sending') LIMIT 1"
    return db.execute(open_ones).fetchone() is not None


def test_session_ends_in_all_processes_at_once(webs: list[Running], database: str) -> None:
    cookies = session_of(database)
    for web in webs:
        # Each process remembers the session from here on.
        assert ask(address(web) + "/api/me", cookies=cookies).status_code == 200
    answer = ask(address(webs[0]) + "/api/auth/signout", "POST", cookies=cookies)
    assert answer.status_code < 300, answer.text
    begun = time.monotonic()
    wait_for(lambda: status(webs[1], "/api/me", cookies) == 401, "it has ended there, too")
    # Sooner than the process would have read the session again.
    assert time.monotonic() - begun < CACHE_SECONDS
    refused = ask(address(webs[1]) + "/api/me", cookies=cookies)
    assert refused.headers["cache-control"] == "private, no-store"


def status(web: Running, path: str, cookies: dict[str, str]) -> int:
    return ask(address(web) + path, cookies=cookies).status_code


def test_attempts_are_counted_across_processes(fleet: Fleet, webs: list[Running]) -> None:
    """Sixty ceremonies a minute, across all processes."""
    with Redis.from_url(fleet.redis_url) as redis:
        # Other tests may have used this Redis before.
        for known in redis.scan_iter("quartet-throttle-*"):
            redis.delete(known)
    # By name, because numbers cannot have passkeys.
    sites = [address(web).replace("127.0.0.1", "localhost") for web in webs]
    answers = [
        ask(sites[number % 2] + "/api/auth/signin", "POST").status_code for number in range(61)
    ]
    assert answers == [200] * 60 + [429]


def test_rolling_restart_loses_no_request(fleet: Fleet, webs: list[Running]) -> None:
    balancer = Balancer([address(web) for web in webs])
    asking = [threading.Thread(target=balancer.ask) for _ in range(3)]
    watching = threading.Thread(target=balancer.watch)
    for thread in (*asking, watching):
        thread.start()
    try:
        renewed = fleet.start(renewed="web", renewed_too="web")
        for old, new in zip(webs, renewed, strict=True):
            wait_for(partial(hour_of, new), "it has the run")
            balancer.add(address(new))
            wait_for(partial(balancer.trusts, address(new)), "it is ready")
            old.process.send_signal(signal.SIGTERM)
            assert old.process.wait(60) == 0
    finally:
        balancer.ended.set()
        for thread in (*asking, watching):
            thread.join()
    assert balancer.failed == []
    assert balancer.answered > 20


class Balancer:
    """A load balancer that asks each process periodically whether it is ready."""

    def __init__(self, addresses: list[str]) -> None:
        self._known = addresses
        self.ready = list(addresses)
        self.ended = threading.Event()
        self.failed: list[str] = []
        self.answered = 0

    def add(self, address: str) -> None:
        self._known = [*self._known, address]

    def trusts(self, address: str) -> bool:
        return address in self.ready

    def watch(self) -> None:
        while not self.ended.wait(BREAK):
            self.ready = [each for each in self._known if self._is_ready(each)]

    def _is_ready(self, address: str) -> bool:
        try:
            return ask(f"{address}/api/ready").status_code == 200
        except httpx.HTTPError:
            return False

    def ask(self) -> None:
        while not self.ended.wait(0.02):
            try:
                answer = self._passed_on()
                if answer.status_code != 200:
                    self.failed.append(answer.text)
            except httpx.HTTPError as error:
                self.failed.append(repr(error))
            self.answered += 1

    def _passed_on(self) -> httpx.Response:
        target = self.ready[os.urandom(1)[0] % len(self.ready)]
        try:
            return ask(f"{target}/api/map/series?lat=54&lon=10")
        except httpx.ConnectError:
            # The request was not processed, so any load balancer tries another process.
            return self._passed_on()
