"""The internals of libraries that the product and its tests override or call.

`VERSIONS` names the version of each library that this code was written for. If an update changes
it, compare the code of the library with its use here, then change the version.
"""

import inspect
from asyncio.selector_events import BaseSelectorEventLoop
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from typing import Any, NamedTuple

import pytest
import uvicorn
from alembic.script import ScriptDirectory
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants
from litestar import Litestar, Router
from litestar._kwargs.kwargs_model import KwargsModel
from litestar.channels.backends.redis import RedisChannelsPubSubBackend
from litestar.handlers import HTTPRouteHandler
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState

VERSIONS = {"uvicorn": "0.54", "litestar": "2.25", "alembic": "1.20", "hypothesis": "6.170"}


class Internal(NamedTuple):
    """A method of a library and the parameters that the module in `used_in` relies on."""

    method: Callable[..., Any]
    parameters: list[str]
    used_in: str


INTERNALS = [
    Internal(HttpToolsProtocol._start_asgi_task, ["self", "cycle", "app"], "kernel/http_protocol"),
    Internal(HttpToolsProtocol.data_received, ["self", "data"], "kernel/http_protocol"),
    Internal(HttpToolsProtocol.on_headers_complete, ["self"], "kernel/http_protocol"),
    Internal(HttpToolsProtocol.on_message_complete, ["self"], "kernel/http_protocol"),
    Internal(HttpToolsProtocol.handle_websocket_upgrade, ["self"], "kernel/http_protocol"),
    Internal(HttpToolsProtocol.send_400_response, ["self", "msg"], "kernel/http_protocol"),
    Internal(WebSocketsSansIOProtocol.start_keepalive, ["self"], "kernel/websocket_protocol"),
    Internal(WebSocketsSansIOProtocol.receive, ["self"], "kernel/websocket_protocol"),
    Internal(uvicorn.Server.startup, ["self", "sockets"], "kernel/server"),
    Internal(uvicorn.Server.on_tick, ["self", "counter"], "kernel/server"),
    Internal(Litestar._get_default_plugins, ["plugins"], "kernel/routing"),
    Internal(Litestar.register, ["self", "value"], "kernel/routing"),
    Internal(HTTPRouteHandler.on_registration, ["self", "app"], "kernel/routing"),
    Internal(HTTPRouteHandler.create_kwargs_model, ["self", "path_parameters"], "kernel/routing"),
    Internal(
        HTTPRouteHandler.get_response_handler, ["self", "is_response_type_data"], "kernel/responses"
    ),
    Internal(RedisChannelsPubSubBackend.subscribe, ["self", "channels"], "kernel/events/transport"),
    Internal(RedisChannelsPubSubBackend.on_shutdown, ["self"], "kernel/events/transport"),
    Internal(
        ScriptDirectory._upgrade_revs, ["self", "destination", "current_rev"], "kernel/db/upgrade"
    ),
    Internal(Router.register, ["self", "value"], "kernel/routing"),
    Internal(
        BaseSelectorEventLoop._make_socket_transport,  # type: ignore[attr-defined]
        ["self", "sock", "protocol", "waiter", "extra", "server"],
        "tests/late_connections",
    ),
]


@pytest.mark.parametrize("library", VERSIONS)
def test_library_has_version_this_code_was_written_for(library: str) -> None:
    installed = ".".join(version(library).split(".")[:2])
    assert installed == VERSIONS[library], f"review the entries of {library} in this file"


@pytest.mark.parametrize("internal", INTERNALS, ids=lambda each: each.method.__qualname__)
def test_internal_method_has_expected_parameters(internal: Internal) -> None:
    parameters = list(inspect.signature(internal.method).parameters)
    assert parameters == internal.parameters, f"used in {internal.used_in}.py"


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


def test_litestar_has_expected_attributes() -> None:
    # Copied one by one in kernel/routing.py, and replaced in kernel/responses.py and the tests.
    assert "has_kwargs" in KwargsModel.__slots__
    assert "_response_handler_mapping" in inspect.getsource(HTTPRouteHandler)
    assert "self._lifespan_managers" in inspect.getsource(Litestar)


def test_hypothesis_collects_constants_in_the_expected_function() -> None:
    """tests/conftest.py replaces it with the class of what it returns."""
    assert "_get_local_constants()" in inspect.getsource(providers.HypothesisProvider)
    replaced = providers._get_local_constants()
    assert isinstance(replaced, Constants)


def test_process_pool_has_expected_attributes() -> None:
    """wind/ingest/workers.py kills the processes that a pool lists there."""
    with ProcessPoolExecutor(1) as pool:
        assert pool._processes == {}
