"""Check that the API responds as its OpenAPI document describes, signed in with full rights.

Schemathesis is imported late: every worker collects this file, but one runs it.
"""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings

from quartet.kernel.startup import StartedService, start
from quartet.services import NAMES, service
from quartet.sync.login.service import Login
from tests.client import Client, client_at
from tests.downloads.first_user import first_user
from tests.media.test_rules_sets import TIDY
from tests.rounds import NIGHTLY
from tests.wind.account_setup import service_of
from tests.wind.admins import admin

if TYPE_CHECKING:
    from schemathesis import Case
    from schemathesis.schemas import BaseSchema

PASSWORD = "four strings in tune"
# Tests have no network, so media uses its demo catalog.
OFFLINE: dict[str, dict[str, Any]] = {"media": {"demo": True}}
Headers = dict[str, str]


async def at_downloads(client: Client) -> Headers:
    body = first_user(client.started.kernel.settings.data, user="robin", password=PASSWORD)
    if not (await client.post("/api/auth/setup", json=body)).is_success:
        await client.post("/api/auth/login", json=body)
    return cookies(client)


async def at_sync(client: Client) -> Headers:
    service_of(client, Login).set_password(PASSWORD)
    answer = await client.post("/api/login", json={"password": PASSWORD})
    return {**cookies(client), "X-CSRF-Token": answer.json()["csrfToken"]}


async def at_media(client: Client) -> Headers:
    """Media needs no login unless a token is set."""
    return cookies(client)


async def at_wind(client: Client) -> Headers:
    return cookies((await admin(client)).browser)


def cookies(client: Client) -> Headers:
    return {"Cookie": "; ".join(f"{name}={value}" for name, value in client.cookies.items())}


# For each service: the login function, and a path that requires a login.
ENTER: dict[str, tuple[Callable[[Client], Coroutine[Any, Any, Headers]], str]] = {
    "downloads": (at_downloads, "/api/packages"),
    "sync": (at_sync, "/api/overview"),
    "media": (at_media, "/api/dashboard"),
    "wind": (at_wind, "/api/admin/users"),
}


async def inside(name: str, started: StartedService[Any], headers: Headers) -> Headers:
    """Return valid headers, logging in again if the session has ended."""
    enter, path = ENTER[name]
    async with client_at(started) as client:
        if not (await client.get(path, headers=headers)).is_success:
            headers = await enter(client)
            client.cookies.clear()
            assert (await client.get(path, headers=headers)).is_success
    return headers


def schema_of(started: StartedService[Any]) -> "BaseSchema":
    from schemathesis import openapi

    return openapi.from_asgi("/api/openapi.json", started.app)


# Schemathesis calls `random` itself, which Hypothesis warns about.
@pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisDeprecationWarning")
@pytest.mark.parametrize("name", NAMES)
def test_responses_match_openapi_document(name: str, tmp_path: Path) -> None:
    found = service(name)
    started = start(found, found.settings(data=tmp_path, **OFFLINE.get(name, {})))
    schema = schema_of(started)
    headers: Headers = {}
    # The event stream never ends.
    operations = schema.exclude(path="/api/events")
    # Random bodies are refused nearly always, so the other methods are called at night only.
    for operation in (
        operations if NIGHTLY else operations.include(method="GET")
    ).get_all_operations():
        # One of the operations signs out.
        headers = asyncio.run(inside(name, started, headers))
        answers_as_described(operation.ok(), headers)


def answers_as_described(operation: Any, headers: Headers) -> None:
    from schemathesis.specs.openapi.checks import positive_data_acceptance

    @given(case=operation.as_strategy())
    @settings(max_examples=5 if NIGHTLY else 1, suppress_health_check=list(HealthCheck))
    def ask(case: "Case[Any]") -> None:
        # Building the agent's files takes longer than other requests on a busy machine.
        longer: dict[str, Any] = {"timeout": 120} if operation.path.startswith("/api/agent") else {}
        case.call_and_validate(
            headers=headers, excluded_checks=[positive_data_acceptance], **longer
        )

    ask()


def test_yaml_and_file_responses_match_openapi_document(tmp_path: Path) -> None:
    """Random ids find nothing, so these responses are requested for objects that exist."""
    from schemathesis.specs.openapi.checks import response_headers_conformance

    media = service("media")
    started = start(media, media.settings(data=tmp_path, **OFFLINE["media"]))
    schema = schema_of(started)

    async def create() -> tuple[int, str]:
        async with client_at(started) as client:
            made = await client.post("/api/rule-sets", json=TIDY)
            assert made.is_success, made.text
            backup = await client.post("/api/system/backups")
            return made.json()["id"], backup.json()["name"]

    rule_set, backup = asyncio.run(create())
    for path, parameters in (
        ("/api/rule-sets/{set_id}/yaml", {"set_id": rule_set}),
        ("/api/system/backups/{name}/file", {"name": backup}),
    ):
        case = schema[path]["GET"].Case(path_parameters=parameters)
        # Litestar describes Last-Modified of files as a JSON date, which no HTTP header is.
        answer = case.call_and_validate(
            headers={"Host": "localhost"}, excluded_checks=[response_headers_conformance]
        )
        assert answer.status_code == 200
