"""Whatever the OpenAPI document allows gets an answer the document describes, also for somebody who
may do everything."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance

from quartet.kernel.start import start
from quartet.services import NAMES, service
from quartet.sync.login.service import Login
from tests.client import Client, client_at
from tests.wind.admins import admin
from tests.wind.people import part

PASSWORD = "four strings in tune"
# Nothing outside can be asked here.
OFFLINE: dict[str, dict[str, Any]] = {"media": {"demo": True}}
Headers = dict[str, str]


async def at_downloads(client: Client) -> Headers:
    body = {"user": "robin", "password": PASSWORD}
    if not (await client.post("/api/auth/setup", json=body)).is_success:
        await client.post("/api/auth/login", json=body)
    return await let_in(client, "/api/packages")


async def at_sync(client: Client) -> Headers:
    part(client, Login).set_password(PASSWORD)
    answer = await client.post("/api/login", json={"password": PASSWORD})
    token = answer.json()["csrfToken"]
    return {**await let_in(client, "/api/overview"), "X-CSRF-Token": token}


async def at_media(client: Client) -> Headers:
    """Without a token it is open."""
    return await let_in(client, "/api/dashboard")


async def at_wind(client: Client) -> Headers:
    return await let_in((await admin(client)).browser, "/api/admin/users")


async def let_in(client: Client, path: str) -> Headers:
    """By the cookies it has got; else all that follows would only be turned away."""
    assert (await client.get(path)).is_success
    return {"Cookie": "; ".join(f"{name}={value}" for name, value in client.cookies.items())}


ENTER: dict[str, Callable[[Client], Coroutine[Any, Any, Headers]]] = {
    "downloads": at_downloads,
    "sync": at_sync,
    "media": at_media,
    "wind": at_wind,
}


# Schemathesis itself draws from `random`, which Hypothesis would rather it did not.
@pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisDeprecationWarning")
@pytest.mark.parametrize("name", NAMES)
def test_every_answer_is_as_described(name: str, tmp_path: Path) -> None:
    found = service(name)
    started = start(found, found.settings(data=tmp_path, **OFFLINE.get(name, {})))
    schema = schemathesis.openapi.from_asgi("/api/openapi.json", started.app)
    # A stream would never end.
    for operation in schema.exclude(path="/api/events").get_all_operations():
        # Anew for each: one of them signs out.
        headers = asyncio.run(ENTER[name](client_at(started)))
        answers_as_described(operation.ok(), headers)  # type: ignore[union-attr]
    started.kernel.db.close()


def answers_as_described(operation: Any, headers: Headers) -> None:
    @given(case=operation.as_strategy())
    @settings(max_examples=5, suppress_health_check=list(HealthCheck))
    def ask(case: schemathesis.Case[Any]) -> None:
        case.call_and_validate(headers=headers, excluded_checks=[positive_data_acceptance])

    ask()
