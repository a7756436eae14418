"""Captchas and other questions that wait for an answer."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from quartet.downloads.captchas.plugin_questions import PluginQuestions
from quartet.downloads.captchas.service import MOST_WAITING, Captchas
from quartet.downloads.captchas.types import Question, Solution
from quartet.downloads.captchas.userscript import server_address, userscript
from quartet.downloads.hosters.errors import Temporary
from quartet.downloads.hosters.questions import QuestionContext
from quartet.kernel.errors import AppError
from quartet.kernel.events import EventHub, backend_from_url
from tests.client import Client, client_at
from tests.downloads.api_calls import SECONDS
from tests.downloads.conftest import logged_in

pytestmark = pytest.mark.anyio

ABOUT = QuestionContext("filehost", "FileHost", "https://filehost.example/f/1", "film.mkv")
PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


def captchas_of(client: Client) -> Captchas:
    found = client.started.built.dependencies["captchas"]
    assert isinstance(found, Captchas)
    return found


@asynccontextmanager
async def asked(client: Client, **fields: Any) -> AsyncIterator[tuple[asyncio.Task[str], Any]]:
    """Ask a question as a plugin does; yield the task and the question as shown."""
    plugin = PluginQuestions(captchas_of(client))
    fields = {"kind": "recaptcha", "site_key": "key", "page_url": ABOUT.link, **fields}
    async with client.started.kernel.events.subscribe() as events:
        task = asyncio.create_task(plugin.captcha(about=ABOUT, **fields))
        async with asyncio.timeout(SECONDS):
            while (await anext(events)).data != b'{"type":"changed","topic":"captchas"}':
                pass
    try:
        yield task, (await client.get("/api/captchas")).json()[-1]
    finally:
        task.cancel()
        await asyncio.wait([task])


def solution(shown: Any, token: str = "answer") -> dict[str, str]:
    return {"id": shown["id"], "secret": shown["secret"], "token": token}


@pytest.fixture
def stranger(ada: Client) -> Client:
    """A client without a session, such as the userscript."""
    return client_at(ada.started)


async def test_captcha_is_shown_with_all_fields(ada: Client) -> None:
    async with asked(ada) as (_task, shown), asked(ada, kind="image", image=PNG) as (_, image):
        # A reloaded page finds both, oldest first.
        assert (await ada.get("/api/captchas")).json() == [shown, image]
    assert re.fullmatch("[0-9a-f]{16}", shown["id"])
    assert re.fullmatch("[0-9a-f]{64}", shown["secret"])
    assert shown["expiresAt"] - shown["createdAt"] == 600_000
    fields = {name: shown[name] for name in shown if name not in ("id", "secret")}
    fields = {name: value for name, value in fields.items() if not name.endswith("At")}
    assert fields == {
        "kind": "recaptcha",
        "pluginId": "filehost",
        "pluginName": "FileHost",
        "siteKey": "key",
        "pageUrl": "https://filehost.example/f/1",
        "host": "filehost.example",
        "enterprise": False,
        "image": None,
        "link": "https://filehost.example/f/1",
        "packageId": None,
        "name": "film.mkv",
        "wrong": False,
    }
    assert image["image"].startswith("data:image/png;base64,")
    assert (await ada.get("/api/captchas")).json() == []


async def test_answer_without_session_reaches_the_plugin(ada: Client, stranger: Client) -> None:
    assert await stranger.code("GET", "/api/captchas") == (401, "signed_out")
    async with asked(ada) as (task, shown):
        # Like the userscript, which sends the server's address as Origin.
        own = {"Origin": "http://localhost"}
        given = solution(shown, " token \n")
        answer = await stranger.post("/api/captcha/solve", json=given, headers=own)
        assert answer.status_code == 204
        assert await task == "token"


async def test_page_of_foreign_origin_solves_captcha_with_secret(
    ada: Client, stranger: Client
) -> None:
    foreign = {"Origin": "https://filehost.example", "Sec-Fetch-Site": "cross-site"}
    path = "/api/captcha/solve"
    asking = {**foreign, "Access-Control-Request-Method": "POST"}
    preflight = await stranger.options(path, headers=asking)
    assert preflight.status_code == 204
    assert preflight.headers["access-control-allow-headers"] == "content-type"
    async with asked(ada) as (task, shown):
        answer = await stranger.post(path, json=solution(shown), headers=foreign)
        assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (204, "*")
        assert await task == "answer"
    other = await ada.code("POST", "/api/downloads/pause-all", headers=foreign)
    assert other == (403, "unauthorized_origin")


async def test_passwords_are_not_trimmed(ada: Client, stranger: Client) -> None:
    plugin = PluginQuestions(captchas_of(ada))
    task = asyncio.create_task(plugin.password(ABOUT.link, wrong=True, about=ABOUT))
    await asyncio.sleep(0)
    [shown] = (await ada.get("/api/captchas")).json()
    assert (shown["kind"], shown["wrong"]) == ("password", True)
    empty = await stranger.code("POST", "/api/captcha/solve", json=solution(shown, ""))
    assert empty == (400, "answer_empty")
    await stranger.post("/api/captcha/solve", json=solution(shown, " open sesame "))
    assert await task == " open sesame "


async def test_wrong_and_reused_secrets_are_rejected(ada: Client, stranger: Client) -> None:
    async def solve(**given: Any) -> tuple[int, str]:
        return await stranger.code("POST", "/api/captcha/solve", json=given)

    async with asked(ada) as (task, shown), asked(ada) as (_, other):
        assert await solve(**{**solution(shown), "secret": "0" * 64}) == (403, "secret_wrong")
        assert await solve(**{**solution(shown), "secret": "ü"}) == (403, "secret_wrong")
        wrong = {**solution(shown), "secret": other["secret"]}
        assert await solve(**wrong) == (403, "secret_wrong")
        assert await solve(**{**solution(shown), "id": "0" * 16}) == (404, "not_found")
        assert await solve(**solution(shown, " \n")) == (400, "answer_empty")
        assert await solve(**solution(shown, "x" * 20_000)) == (400, "invalid_request")
        assert not task.done()
        assert (await stranger.post("/api/captcha/solve", json=solution(shown))).is_success
        assert await solve(**solution(shown)) == (409, "already_answered")
        assert await solve(**{**solution(shown), "secret": "no"}) == (403, "secret_wrong")


async def test_exactly_one_of_many_simultaneous_answers_is_accepted(
    ada: Client, stranger: Client
) -> None:
    async with asked(ada) as (task, shown):
        answers = await asyncio.gather(
            *(
                stranger.post("/api/captcha/solve", json=solution(shown, f"answer {n}"))
                for n in range(20)
            )
        )
        codes = [answer.status_code for answer in answers]
        assert sorted(codes) == [204] + [409] * 19
        assert await task == f"answer {codes.index(204)}"


async def test_answer_to_cancelled_question_is_rejected(ada: Client, stranger: Client) -> None:
    async with asked(ada) as (task, shown):
        path = f"/api/captchas/{shown['id']}/cancel"
        assert (await ada.post(path)).status_code == 204
        with pytest.raises(Temporary) as error:
            await task
        assert error.value.problem is not None
        assert error.value.problem.code == "question_cancelled"
        assert error.value.seconds == 1800
        gone = await stranger.code("POST", "/api/captcha/solve", json=solution(shown))
        assert gone == (410, "question_gone")
        assert await ada.code("POST", path) == (404, "not_found")
        assert await stranger.code("POST", path) == (401, "signed_out")


async def test_answer_after_expiry_is_rejected() -> None:
    captchas = Captchas(EventHub(backend_from_url(None, "test")), seconds=0.05)
    asking = asyncio.create_task(captchas.ask(Question(kind="turnstile")))
    await asyncio.sleep(0)
    [shown] = captchas.waiting()
    with pytest.raises(AppError, match="question_expired"):
        await asking
    assert captchas.waiting() == []
    with pytest.raises(AppError, match="question_gone"):
        captchas.solve(Solution(shown.id, shown.secret, "late"))


async def test_answer_after_caller_was_cancelled_is_rejected() -> None:
    captchas = Captchas(EventHub(backend_from_url(None, "test")))
    asking = asyncio.create_task(captchas.ask(Question(kind="turnstile")))
    await asyncio.sleep(0)
    [shown] = captchas.waiting()
    asking.cancel()
    with pytest.raises(AppError, match="question_gone"):
        captchas.solve(Solution(shown.id, shown.secret, "late"))
    await asyncio.wait([asking])
    assert captchas.waiting() == []


async def test_number_of_waiting_questions_is_limited() -> None:
    captchas = Captchas(EventHub(backend_from_url(None, "test")))
    many = [asyncio.create_task(captchas.ask(Question(kind="image"))) for _ in range(MOST_WAITING)]
    await asyncio.sleep(0)
    with pytest.raises(AppError, match="too_many_questions"):
        await captchas.ask(Question(kind="image"))
    for task in many:
        task.cancel()
    await asyncio.wait(many)


@pytest.mark.parametrize("image", [b"<svg onload='x'>", b"", PNG + bytes(1 << 20)])
async def test_invalid_captcha_image_is_not_shown(ada: Client, image: bytes) -> None:
    plugin = PluginQuestions(captchas_of(ada))
    with pytest.raises(Temporary):
        await plugin.captcha("image", about=ABOUT, image=image)
    assert (await ada.get("/api/captchas")).json() == []


async def test_userscript_contains_server_address(ada: Client, stranger: Client) -> None:
    answer = await stranger.get("/api/captcha/app-captcha.user.js")
    assert answer.headers["content-type"].startswith("text/javascript")
    head, _, code = answer.text.partition("// ==/UserScript==")
    fields = dict(re.findall(r"^// @(\S+) +(.+)$", head, re.MULTILINE))
    assert fields["connect"] == "localhost"
    assert fields["match"] == "*://*/*"
    assert "GM_xmlhttpRequest" in head
    assert 'const SERVER = "http://localhost";' in code
    assert "__" not in answer.text


async def test_userscript_uses_public_url(tmp_path: Path) -> None:
    public = "https://files.example.org/downloads"
    async with logged_in(tmp_path, public_url=public) as ada:
        text = (await ada.get("/api/captcha/app-captcha.user.js")).text
    assert "// @connect      files.example.org\n" in text
    assert f"const SERVER = {json.dumps(public)};" in text


@pytest.mark.parametrize(
    "host", ['a"; alert(1); "', "a\n// @require x", "a b", "", "a:99999999", "</script>", "a/b"]
)
def test_userscript_is_refused_for_invalid_host(host: str) -> None:
    with pytest.raises(AppError, match="bad_address"):
        server_address("http", host, "", None)


def test_server_address_of_userscript() -> None:
    assert server_address("http", "[::1]:8080", "/dl/", None) == "http://[::1]:8080/dl"
    assert "// @connect      ::1\n" in userscript("http://[::1]:8080/dl")
