"""Invalid bodies are the client's error, even if a field is named like a dependency."""

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from litestar import Litestar, post
from litestar.di import Provide
from litestar.testing import TestClient

from quartet.kernel.error_responses import error_response
from quartet.kernel.service import BuiltService, Connection, Identity, Kernel
from quartet.kernel.startup import openapi_of
from quartet.kernel.web import Injected, JSONBody
from quartet.services import NAMES, service
from tests.client import Client, quiet_client_of

pytestmark = pytest.mark.anyio


class Folder(msgspec.Struct):
    path: str


class Body(msgspec.Struct, forbid_unknown_fields=True):
    folders: list[Folder] = []
    data: int = 0


@post("/body")
async def body(data: JSONBody[Body], folders: Injected[int]) -> None: ...


@post("/dependency")
async def dependency(folders: Injected[str]) -> None: ...


@pytest.fixture
def client() -> Iterator[TestClient[Litestar]]:
    app = Litestar(
        [body, dependency],
        dependencies={"folders": Provide(lambda: 1, sync_to_thread=False)},
        exception_handlers={Exception: error_response},
        logging_config=None,
    )
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


@pytest.mark.parametrize(
    ("sent", "inputs"),
    [
        ({"folders": 5}, {"field": "folders"}),
        ({"folders": [{"path": 5}]}, {"field": "folders[0].path"}),
        ({"data": "x"}, {"field": "data"}),
        ({"kernel": 5}, {}),
    ],
)
def test_field_named_like_dependency_is_invalid_request(
    client: TestClient[Litestar], sent: object, inputs: dict[str, str]
) -> None:
    answer = client.post("/body", json=sent)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
    if inputs:
        assert answer.json()["inputs"] == inputs


def test_invalid_dependency_is_internal_error(client: TestClient[Litestar]) -> None:
    answer = client.post("/dependency")
    assert (answer.status_code, answer.json()["code"]) == (500, "internal")


@pytest.mark.parametrize("name", NAMES)
async def test_wrong_type_of_any_body_field_is_not_server_error(name: str, tmp_path: Path) -> None:
    failed = []
    async with everyone_signed_in(name, tmp_path) as client:
        for method, path, field in body_fields(name):
            for value in ([[[5]]], {"": 5}):
                answer = await client.request(method, path, json={field: value})
                if answer.status_code >= 500:
                    failed.append(f"{method} {path} {field}: {answer.text}")
    assert not failed


@pytest.mark.parametrize(
    ("name", "method", "path", "field"),
    [
        ("sync", "POST", "/api/config/import", "folders"),
        ("sync", "POST", "/api/config/import", "devices"),
        ("sync", "PATCH", "/api/devices/1", "hub"),
        ("sync", "PUT", "/api/notices", "conflicts"),
        ("media", "POST", "/api/jobs/manual", "folders"),
        ("media", "POST", "/api/jobs/1/preview", "folders"),
    ],
)
async def test_field_that_returned_500_is_reported_as_invalid(
    name: str, method: str, path: str, field: str, tmp_path: Path
) -> None:
    async with everyone_signed_in(name, tmp_path) as client:
        answer = await client.request(method, path, json={field: {"": 5}})
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
        assert answer.json()["inputs"]["field"].startswith(field)


@asynccontextmanager
async def everyone_signed_in(name: str, folder: Path) -> AsyncIterator[Client]:
    """Return a client of a service that accepts every request as its administrator."""
    found = service(name)

    def build(kernel: Kernel[Any]) -> BuiltService:
        return replace(found.build(kernel), authenticate=accept)

    async with quiet_client_of(replace(found, build=build), folder) as client:
        yield client


async def accept(_connection: Connection) -> Identity:
    return Identity("1", "session", "0" * 64)


def body_fields(name: str) -> Iterator[tuple[str, str, str]]:
    """Yield method, path and name of every field of every JSON body of a service."""
    document = msgspec.json.decode(openapi_of(service(name)))
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            content = operation.get("requestBody", {}).get("content", {})
            schema = content.get("application/json", {}).get("schema", {})
            if reference := schema.get("$ref"):
                schema = document["components"]["schemas"][reference.rsplit("/", 1)[1]]
            for field in schema.get("properties", {}):
                yield method.upper(), re.sub(r"\{\w+\}", "1", path), field
