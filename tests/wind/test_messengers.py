"""Alerts through ntfy and other services, with the real Apprise."""

import json
import threading
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from quartet.wind.alerts.types import ChosenChannels
from quartet.wind.messengers.service import MOST_MESSENGERS
from quartet.wind.messengers.tables import messengers
from quartet.wind.messengers.types import MessengerResult
from tests.client import Client
from tests.wind.alert_api import ALARM, add_spot, run_loop
from tests.wind.alert_harness import (
    START,
    add_user,
    alert_change,
    alert_harness_at,
    windy,
)
from tests.wind.quiet import quiet
from tests.wind.signed_in_users import SignedInUser, signed_in_user
from tests.wind.test_alerts_routes import breeze

pytestmark = pytest.mark.anyio

API = "/api/messengers"
ONLY_MESSENGERS = {"push": False, "email": False, "messenger": True}


class Ntfy:
    """Imitates ntfy and other HTTP services: records what is posted to each path."""

    def __init__(self) -> None:
        self.received: list[tuple[str, dict[str, Any]]] = []
        self.status: dict[str, int] = {}
        ntfy = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                path = f"/{body['topic']}" if "topic" in body else self.path
                status = ntfy.status.get(path, 200)
                if status == 200:
                    ntfy.received.append((path, body))
                self.send_response(status)
                self.send_header("content-length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_: object) -> None:
                """Do not log requests."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.host = f"127.0.0.1:{self.server.server_port}"


@pytest.fixture
def ntfy() -> Iterator[Ntfy]:
    ntfy = Ntfy()
    threading.Thread(target=ntfy.server.serve_forever, kwargs={"poll_interval": 0.02}).start()
    yield ntfy
    ntfy.server.shutdown()
    ntfy.server.server_close()


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Client]:
    breeze(tmp_path)
    async with quiet(tmp_path, allow_private_addresses=True) as client:
        yield client


@pytest.fixture
async def anna(site: Client) -> SignedInUser:
    return await signed_in_user(site)


async def add(person: SignedInUser, url: str) -> dict[str, Any]:
    answer = await person.browser.post(API, json={"url": url})
    assert answer.status_code == 201, answer.text
    added: dict[str, Any] = answer.json()
    return added


async def test_forecast_arrives_once_at_each_messenger(
    site: Client, anna: SignedInUser, ntfy: Ntfy, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    await add(anna, f"ntfy://{ntfy.host}/surf-topic-anna")
    await add(anna, f"json://user:secret-of-anna@{ntfy.host}/hook")
    # This address works later: only it gets the second attempt.
    ntfy.status["/hook"] = 503
    favorite = await add_spot(anna)
    body = {**ALARM, "model": "icon-eu", "channels": ONLY_MESSENGERS}
    answer = await anna.browser.put(f"/api/alarms/{favorite}", json=body)
    assert answer.json()["channels"] == ONLY_MESSENGERS
    for name in ("alarms", "alarm push", "alarm mails", "alarm messengers", "alarm messengers"):
        await run_loop(site, name)
    ((topic, message),) = ntfy.received
    assert topic == "/surf-topic-anna" and message["title"] == "Kite Nord"
    assert "18 kn from W" in message["message"]
    assert f"http://localhost:8450/spots/{favorite}" in message["message"]
    (entry,) = (await anna.browser.get("/api/alarms/history")).json()["entries"]
    (state,) = entry["messages"]
    assert (state["channel"], state["state"]) == ("messenger", "waiting")
    assert state["error"] == {"code": "messenger_unreachable"}
    reached, missed = (await anna.browser.get(API)).json()["messengers"]
    assert "failedAt" not in reached and missed["failedAt"] > 0
    for secret in ("secret-of-anna", "surf-topic-anna"):
        assert secret not in caplog.text


async def test_second_attempt_reaches_only_the_missed_messenger(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy((11, 16))) as harness:
        user = await add_user(harness)
        spot = await harness.spot(user)
        channels = ChosenChannels(push=False, email=False, messenger=True)
        await harness.set(spot, alert_change(channels=channels))
        harness.messengers.answers = [
            MessengerResult(0, (1, 2)),
            MessengerResult(1, (2,)),
            MessengerResult(1),
        ]
        harness.publish(START)
        for _ in range(5):
            await harness.tick()
            harness.clock.now += 300
        assert [each.more["only"] for each in harness.messengers.received] == [None, [2]]
        (entry,) = await harness.history(user)
        assert [(each.state, each.tried) for each in entry.messages] == [("sent", 3)]
        assert not harness.push.received and not harness.mail.received


async def test_account_without_messenger_fails_at_once(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy((11, 16))) as harness:
        user = await add_user(harness)
        channels = ChosenChannels(push=False, email=False, messenger=True)
        await harness.set(await harness.spot(user), alert_change(channels=channels))
        harness.messengers.answers = [MessengerResult(0)]
        harness.publish(START)
        await harness.tick()
        (entry,) = await harness.history(user)
        (message,) = entry.messages
        assert message.state == "failed" and message.error is not None
        assert message.error.code == "no_messengers"


async def test_address_is_stored_encrypted_and_shown_masked(
    anna: SignedInUser, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    added = await add(anna, "tgram://123456789:abcdefg_hijklmnop/12315544/")
    assert added["address"] == "tgram://…544/"
    shown = (await anna.browser.get(API)).json()
    assert shown == {"messengers": [added], "limit": MOST_MESSENGERS}
    exported = (await anna.browser.get("/api/me/export")).json()
    assert exported["messengers"] == [added] and exported["calendar"] == {}
    files = [path for path in tmp_path.rglob("wind.sqlite3*") if path.is_file()]
    assert files and not any(b"abcdefg_hijklmnop" in path.read_bytes() for path in files)
    assert "messenger_added client=" in caplog.text


async def test_messengers_belong_to_their_user_and_end_with_the_account(
    site: Client, anna: SignedInUser
) -> None:
    bob = await signed_in_user(site, "Bob")
    mine = await add(anna, "ntfys://ntfy.sh/topic-of-anna")
    assert (await bob.browser.get(API)).json()["messengers"] == []
    path = f"{API}/{mine['id']}"
    assert await bob.browser.code("DELETE", path) == (404, "not_found")
    assert await site.code("GET", API) == (401, "signed_out")
    assert (await anna.browser.delete(path)).status_code == 204
    assert await anna.browser.code("DELETE", path) == (404, "not_found")
    await add(anna, "ntfys://ntfy.sh/topic-of-anna")
    assert (await anna.browser.delete("/api/me")).status_code == 204
    db = site.started.kernel.db
    assert await db.read(lambda conn: conn.execute(messengers.select()).all()) == []


async def test_number_of_messengers_is_limited(anna: SignedInUser) -> None:
    for number in range(MOST_MESSENGERS):
        await add(anna, f"ntfys://ntfy.sh/topic-{number}")

    async def refused(url: str) -> tuple[int, str]:
        return await anna.browser.code("POST", API, json={"url": url})

    assert await refused(" ntfys://ntfy.sh/topic-0 ") == (409, "messenger_exists")
    assert await refused("ntfys://ntfy.sh/another") == (422, "too_many_messengers")


@pytest.mark.parametrize(
    "url",
    [
        "nothing",
        "syslog://",
        # Would connect to any mail server.
        "mailto://user:pw@mail.example.org",
        # Apprise accepts several URLs in one text.
        "syslog:// ntfys://ntfy.sh/topic",
    ],
)
async def test_other_schemes_are_refused(anna: SignedInUser, url: str) -> None:
    answer = await anna.browser.code("POST", API, json={"url": url})
    assert answer == (400, "notification_address_invalid")


async def test_private_address_is_refused(tmp_path: Path) -> None:
    async with quiet(tmp_path) as site:
        anna = await signed_in_user(site)
        for url in ("ntfy://127.0.0.1/topic", "json://192.168.1.1/", "json://[::1]/"):
            answer = await anna.browser.code("POST", API, json={"url": url})
            assert answer == (403, "notification_address_forbidden")


async def test_test_message_reaches_all_messengers(anna: SignedInUser, ntfy: Ntfy) -> None:
    async def results() -> list[dict[str, Any]]:
        body = {"channels": ONLY_MESSENGERS}
        answer = await anna.browser.post("/api/alarms/test", json=body)
        found: list[dict[str, Any]] = answer.json()["results"]
        return found

    assert await results() == [
        {"channel": "messenger", "ok": False, "error": {"code": "no_messengers"}}
    ]
    await add(anna, f"ntfy://{ntfy.host}/topic")
    await add(anna, f"json://{ntfy.host}/hook")
    assert await results() == [{"channel": "messenger", "ok": True, "devices": 2}]
    assert {path for path, _ in ntfy.received} == {"/topic", "/hook"}
    ntfy.status["/hook"] = 500
    (failed,) = await results()
    assert failed["error"] == {"code": "messenger_unreachable"}
