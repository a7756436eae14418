"""The internals of uvicorn, Litestar and Alembic that the kernel overrides or calls.

Each entry names the version that the kernel's code was written for. If an update changes the
version, compare the code of the library with the use in the kernel, then change the version here.
"""

import inspect
from collections.abc import Callable
from importlib.metadata import version
from typing import Any, NamedTuple

import pytest
import uvicorn
from alembic.script import ScriptDirectory
from litestar import Litestar
from litestar.channels.backends.redis import RedisChannelsPubSubBackend
from litestar.handlers import HTTPRouteHandler
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState

VERSIONS = {"uvicorn": "0.54", "litestar": "2.25", "alembic": "1.20"}


class Internal(NamedTuple):
    """A method of a library and the parameters that the kernel relies on."""

    method: Callable[..., Any]
    parameters: list[str]
    used_in: str


INTERNALS = [
    Internal(HttpToolsProtocol._start_asgi_task, ["self", "cycle", "app"], "http_protocol"),
    Internal(HttpToolsProtocol.data_received, ["self", "data"], "http_protocol"),
    Internal(HttpToolsProtocol.on_headers_complete, ["self"], "http_protocol"),
    Internal(HttpToolsProtocol.on_message_complete, ["self"], "http_protocol"),
    Internal(HttpToolsProtocol.handle_websocket_upgrade, ["self"], "http_protocol"),
    Internal(HttpToolsProtocol.send_400_response, ["self", "msg"], "http_protocol"),
    Internal(WebSocketsSansIOProtocol.start_keepalive, ["self"], "websocket_protocol"),
    Internal(WebSocketsSansIOProtocol.receive, ["self"], "websocket_protocol"),
    Internal(uvicorn.Server.startup, ["self", "sockets"], "server"),
    Internal(uvicorn.Server.on_tick, ["self", "counter"], "server"),
    Internal(Litestar._get_default_plugins, ["plugins"], "routing"),
    Internal(Litestar.register, ["self", "value"], "routing"),
    Internal(HTTPRouteHandler.on_registration, ["self", "app"], "routing"),
    Internal(HTTPRouteHandler.create_kwargs_model, ["self", "path_parameters"], "routing"),
    Internal(HTTPRouteHandler.get_response_handler, ["self", "is_response_type_data"], "responses"),
    Internal(RedisChannelsPubSubBackend.subscribe, ["self", "channels"], "events/transport"),
    Internal(RedisChannelsPubSubBackend.on_shutdown, ["self"], "events/transport"),
    Internal(ScriptDirectory._upgrade_revs, ["self", "destination", "current_rev"], "db/upgrade"),
]


@pytest.mark.parametrize("library", VERSIONS)
def test_library_has_version_the_kernel_was_written_for(library: str) -> None:
    installed = ".".join(version(library).split(".")[:2])
    assert installed == VERSIONS[library], f"review the entries of {library} in this file"


@pytest.mark.parametrize("internal", INTERNALS, ids=lambda each: each.method.__qualname__)
def test_internal_method_has_expected_parameters(internal: Internal) -> None:
    parameters = list(inspect.signature(internal.method).parameters)
    assert parameters == internal.parameters, f"used in kernel/{internal.used_in}.py"


def test_uvicorn_protocol_has_expected_attributes() -> None:
    source = inspect.getsource(HttpToolsProtocol)
    for name in ("cycle", "pipeline", "flow", "timeout_keep_alive_task", "headers", "url"):
        assert f"self.{name}" in source, name
    source = inspect.getsource(RequestResponseCycle)
    for name in (
        "keep_alive",
        "default_headers",
        "disconnected",
        "message_event",
        "on_response",
        "response_started",
        "response_complete",
        "waiting_for_100_continue",
    ):
        assert f"self.{name}" in source, name
    assert {"connections", "tasks"} <= vars(ServerState()).keys()


def test_litestar_redis_backend_has_expected_attributes() -> None:
    source = inspect.getsource(RedisChannelsPubSubBackend)
    source += inspect.getsource(RedisChannelsPubSubBackend.__mro__[1])
    for name in ("_pub_sub", "_redis"):
        assert f"self.{name}" in source, name
