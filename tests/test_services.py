"""Behaviour common to all four services."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pytest
from litestar import Litestar
from litestar.routes import HTTPRoute

from quartet import __version__
from quartet.kernel.service import Service
from quartet.services import NAMES, service
from quartet.wind.settings import WindSettings
from tests.client import Client, quiet_client_of

pytestmark = pytest.mark.anyio


@pytest.fixture(params=NAMES)
def each(request: pytest.FixtureRequest) -> Service[Any]:
    return service(request.param)


def assert_problem(answer: Any) -> None:
    body = answer.json()
    assert set(body) <= {"code", "inputs"}, body
    assert body["code"].replace("_", "").isalnum()
    assert body["code"] == body["code"].lower()
    assert isinstance(body.get("inputs", {}), dict)
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-request-id"]


def routes(client: Client) -> Iterator[tuple[str, Collection[str]]]:
    """Yield each path with its methods."""
    app = client.started.app.app
    assert isinstance(app, Litestar)
    for route in app.routes:
        methods = route.methods if isinstance(route, HTTPRoute) else ()
        yield route.path_format.replace("{path}", "x"), methods


HEALTH = {
    "downloads": {"status": "ok"},
    "sync": {"status": "ok"},
    "media": {"status": "ok", "version": __version__},
    "wind": {
        "version": __version__,
        "schemaVersion": service("wind").history.head,
        "stations": 0,
        "liveStations": 0,
        "dataAge": dict.fromkeys(WindSettings().models),
    },
}


async def test_health_endpoint_returns_documented_fields(
    each: Service[Any], tmp_path: Path
) -> None:
    async with quiet_client_of(each, tmp_path) as client:
        answer = await client.get("/api/health")
        assert answer.status_code == 200
        health = answer.json()
        if "uptime" in health:
            assert isinstance(health.pop("uptime"), int)
        assert health == HEALTH[each.name]


async def test_error_responses_share_one_body_format(each: Service[Any], tmp_path: Path) -> None:
    """Call each route with each method, invalid JSON, wrong types and wrong content types."""
    bodies: list[dict[str, Any]] = [
        {},
        {"content": b"{broken", "headers": {"content-type": "application/json"}},
        {"json": [1, 2]},
        {"json": {"user": 1, "password": None, "token": [], "current": {}, "new": 7}},
        {"content": b"user=x", "headers": {"content-type": "text/plain"}},
        {"content": b"\xff\xfe\x00", "headers": {"content-type": "application/json"}},
    ]
    async with quiet_client_of(each, tmp_path) as client:
        seen = 0
        for path, methods in routes(client):
            # The event stream never ends, pages return HTML, qBittorrent clients expect text.
            if not path.startswith("/api/") or path.startswith(("/api/events", "/api/v2/")):
                continue
            for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
                # An unsupported method is rejected before the body is read.
                for body in bodies if method in methods else bodies[:1]:
                    answer = await client.request(method, path, **body)
                    assert answer.status_code < 500, (method, path, body, answer.text)
                    if answer.status_code >= 400:
                        assert_problem(answer)
                        seen += 1
        assert seen > 20


async def test_unknown_api_path_returns_not_found(each: Service[Any], tmp_path: Path) -> None:
    async with quiet_client_of(each, tmp_path) as client:
        for path in ("/api/nothing", "/api/nothing/here", "/api/auth/../../api/x"):
            for method in ("GET", "POST", "DELETE"):
                answer = await client.request(method, path)
                assert (answer.status_code, answer.json()) == (404, {"code": "not_found"})


LOGIN = {
    "downloads": "/api/auth/login",
    "sync": "/api/login",
    "media": "/api/login",
}


@pytest.mark.parametrize("name", LOGIN)
async def test_invalid_request_bodies_return_specific_codes(name: str, tmp_path: Path) -> None:
    path = LOGIN[name]
    kind = {"content-type": "application/json"}
    async with quiet_client_of(service(name), tmp_path) as client:

        async def code(**options: Any) -> tuple[int, str]:
            return await client.code("POST", path, **options)

        assert await code(content=b"{", headers=kind) == (400, "invalid_json")
        assert await code(content=b"", headers=kind) == (400, "invalid_request")
        assert await code(json={}) == (400, "invalid_request")
        assert await code(json={"password": 5, "user": 5, "token": 5}) == (400, "invalid_request")
        assert await code(data={"password": "x"}) == (415, "wrong_content_type")
        large = b'"' + b"x" * (9 * 1024 * 1024) + b'"'
        assert await code(content=large, headers=kind) == (413, "too_large")


async def test_validation_error_names_invalid_field(tmp_path: Path) -> None:
    async with quiet_client_of(service("downloads"), tmp_path) as client:
        answer = await client.post("/api/auth/login", json={"user": "ada", "password": 5})
        assert answer.json() == {"code": "invalid_request", "inputs": {"field": "password"}}


async def test_openapi_document_is_served(each: Service[Any], tmp_path: Path) -> None:
    async with quiet_client_of(each, tmp_path) as client:
        document = (await client.get("/api/openapi.json")).json()
        assert document["info"] == {"title": f"Quartet {each.name}", "version": __version__}
        assert "/api/health" in document["paths"]
        assert "/metrics" not in document["paths"]


async def test_unexpected_error_hides_internal_details(
    each: Service[Any], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with quiet_client_of(each, tmp_path) as client:

        async def broken() -> None:
            raise RuntimeError("the secret inside")

        client.started.kernel.db.check = broken  # type: ignore[method-assign]
        client.started.kernel.db.read = lambda *_: broken()  # type: ignore[method-assign, assignment]
        answer = await client.get("/api/health")
        assert answer.status_code == 500
        assert answer.json()["code"] == "internal"
        assert answer.json()["inputs"]["requestId"] == answer.headers["x-request-id"]
        assert "secret" not in answer.text
        assert "the secret inside" in caplog.text
