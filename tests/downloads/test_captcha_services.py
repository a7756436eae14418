"""Captcha services that answer captchas for the user."""

import logging
from base64 import b64encode
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web

from quartet.downloads.captchas.plugin_questions import PluginQuestions
from quartet.downloads.solvers import service as solvers
from tests.client import Client
from tests.downloads.api_calls import act
from tests.downloads.imitations.captcha_service import KEY, CaptchaService
from tests.downloads.plugins import imitation
from tests.downloads.test_captchas import ABOUT, PNG, asked, captchas_of, solution

pytestmark = pytest.mark.anyio

PAGE = ABOUT.link


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solvers, "POLL_SECONDS", 0.01)


@pytest.fixture
async def service() -> AsyncIterator[tuple[CaptchaService, str]]:
    service = CaptchaService()
    async with imitation(service.routes()) as base:
        yield service, base


async def add(client: Client, address: str, **fields: Any) -> dict[str, Any]:
    body = {"address": address, "key": KEY, "name": "Solver", **fields}
    await act(client, "/api/captcha-services", json=body)
    return (await shown(client))[-1]


async def shown(client: Client) -> list[dict[str, Any]]:
    answer = await client.get("/api/captcha-services")
    found: list[dict[str, Any]] = answer.json()
    return found


async def ask(client: Client, kind: Any = "recaptcha", **fields: Any) -> str:
    fields = {"site_key": "key", "page_url": PAGE, **fields}
    return await PluginQuestions(captchas_of(client)).captcha(kind, about=ABOUT, **fields)


@pytest.mark.parametrize(
    ("kind", "enterprise", "form", "task"),
    [
        (
            "recaptcha",
            True,
            {"method": "userrecaptcha", "googlekey": "key", "pageurl": PAGE, "enterprise": "1"},
            "RecaptchaV2EnterpriseTaskProxyless",
        ),
        (
            "hcaptcha",
            False,
            {"method": "hcaptcha", "sitekey": "key", "pageurl": PAGE},
            "HCaptchaTaskProxyless",
        ),
        (
            "turnstile",
            False,
            {"method": "turnstile", "sitekey": "key", "pageurl": PAGE},
            "TurnstileTaskProxyless",
        ),
    ],
)
async def test_captcha_is_solved_with_both_protocols(
    ada: Client,
    service: tuple[CaptchaService, str],
    caplog: pytest.LogCaptureFixture,
    kind: str,
    enterprise: bool,
    form: dict[str, str],
    task: str,
) -> None:
    imitated, base = service
    first = await add(ada, base, protocol="form")
    assert (first["balance"], first["error"], first["solved"]) == (1.25, None, 0)
    with caplog.at_level(logging.INFO):
        assert await ask(ada, kind, enterprise=enterprise) == "the answer"
    assert imitated.tasks == [form]
    assert "captcha of filehost.example solved by Solver for 0.00299" in caplog.text
    assert KEY not in caplog.text
    await act(ada, f"/api/captcha-services/{first['id']}", "PATCH", json={"protocol": "json"})
    imitated.delay = 1
    assert await ask(ada, kind, enterprise=enterprise) == "the answer"
    assert imitated.tasks[-1] == {"type": task, "websiteURL": PAGE, "websiteKey": "key"}
    [after] = await shown(ada)
    assert (after["solved"], after["spent"]) == (2, 0.00444)


@pytest.mark.parametrize("protocol", ["form", "json"])
async def test_refused_answer_is_reported_once(
    ada: Client, service: tuple[CaptchaService, str], protocol: str
) -> None:
    imitated, base = service
    imitated.delay = 0
    await add(ada, base, protocol=protocol)
    questions = PluginQuestions(captchas_of(ada))
    # Nothing was answered yet.
    await questions.captcha_refused(ABOUT)
    assert await ask(ada) == "the answer"
    await questions.captcha_refused(ABOUT._replace(link="https://other.example/x"))
    assert imitated.wrong == []
    await questions.captcha_refused(ABOUT)
    await questions.captcha_refused(ABOUT)
    assert imitated.wrong == ["1"]


async def test_refused_answer_of_the_user_is_not_reported(
    ada: Client, service: tuple[CaptchaService, str]
) -> None:
    imitated, base = service
    imitated.delay = 0
    await add(ada, base)
    assert await ask(ada) == "the answer"
    imitated.delay = 10**9
    async with asked(ada) as (task, question):
        await act(ada, "/api/captcha/solve", json=solution(question, "mine"))
        assert await task == "mine"
    await PluginQuestions(captchas_of(ada)).captcha_refused(ABOUT)
    assert imitated.wrong == []


async def test_image_is_sent_as_it_is(ada: Client, service: tuple[CaptchaService, str]) -> None:
    imitated, base = service
    await add(ada, base)
    assert await ask(ada, "image", image=PNG) == "the answer"
    assert imitated.tasks == [{"type": "ImageToTextTask", "body": b64encode(PNG).decode()}]


async def test_next_service_is_asked_after_an_error(
    ada: Client, service: tuple[CaptchaService, str]
) -> None:
    _imitated, base = service
    wrong = await add(ada, base, key="wrong")
    problem = {
        "code": "captcha_service_refused",
        "inputs": {"text": "ERROR_KEY_DOES_NOT_EXIST"},
    }
    assert (wrong["balance"], wrong["error"]) == (None, problem)
    await add(ada, f"{base}/", name="")
    assert await ask(ada) == "the answer"
    first, second = await shown(ada)
    assert (first["solved"], first["error"], second["solved"]) == (0, problem, 1)
    assert (second["name"], second["address"]) == ("127.0.0.1", base)
    assert all("key" not in each for each in (first, second))


@pytest.mark.parametrize("protocol", ["json", "form"])
async def test_address_without_a_service_is_an_error(ada: Client, protocol: str) -> None:
    async def other(_request: web.Request) -> web.Response:
        return web.json_response({"ok": True})

    async with imitation({"POST /getBalance": other, "GET /res.php": other}) as base:
        found = await add(ada, base, protocol=protocol)
    assert (found["balance"], found["error"]["code"]) == (None, "captcha_service_unknown")


async def test_user_can_answer_first(ada: Client, service: tuple[CaptchaService, str]) -> None:
    imitated, base = service
    imitated.delay = 10**9
    await add(ada, base)
    async with asked(ada) as (task, question):
        await act(ada, "/api/captcha/solve", json=solution(question, "mine"))
        assert await task == "mine"
    assert (await shown(ada))[0]["solved"] == 0


async def test_link_is_not_paid_for_again_and_again(
    ada: Client, service: tuple[CaptchaService, str]
) -> None:
    imitated, base = service
    imitated.delay = 0
    await add(ada, base)
    for _ in range(solvers.MOST_PER_LINK):
        assert await ask(ada) == "the answer"
    async with asked(ada) as (task, question):
        await act(ada, "/api/captcha/solve", json=solution(question, "mine"))
        assert await task == "mine"
    assert len(imitated.tasks) == solvers.MOST_PER_LINK


async def test_disabled_service_and_passwords_are_left_to_the_user(
    ada: Client, service: tuple[CaptchaService, str]
) -> None:
    imitated, base = service
    added = await add(ada, base, enabled=False)
    async with asked(ada) as (task, question):
        await act(ada, "/api/captcha/solve", json=solution(question, "mine"))
        assert await task == "mine"
    assert imitated.tasks == []
    query = "SELECT key FROM captcha_services"
    db = ada.started.kernel.db
    stored = await db.read(lambda conn: conn.exec_driver_sql(query).scalar_one())
    assert KEY not in str(stored)
    await act(ada, f"/api/captcha-services/{added['id']}", "PATCH", json={})
    await act(ada, f"/api/captcha-services/{added['id']}", "DELETE")
    assert await shown(ada) == []
