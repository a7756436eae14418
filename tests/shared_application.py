"""One Litestar application per service and process, shared by all tests.

Litestar needs 0.1 to 0.3 s to register the routes of a service, which is longer than most HTTP
tests run. The routes are the same each time; only the objects behind them differ. So the
application is built once, and each started service gets a shallow copy of it. While a copy handles
a request, a context variable selects the objects of its service. Several services can therefore
run at the same time, each with its own database.
"""

import copy
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from litestar import Litestar
from litestar.events import SimpleEventEmitter

from quartet.kernel import app as kernel_app
from quartet.kernel.metrics import Metrics
from quartet.kernel.routing import analyse_handlers
from quartet.kernel.service import Authenticate, BuiltService, Connection, Identity, Kernel

_build = kernel_app.litestar_app
_shared: dict[tuple[object, ...], Litestar] = {}
# Applications are found by the identity of their handlers, so these must not be freed.
_handlers: list[object] = []


@dataclass(frozen=True)
class Binding:
    """The objects that belong to one started service."""

    values: Mapping[str, object]
    authenticate: Authenticate


_current: ContextVar[Binding] = ContextVar("binding")


class BoundApplication(Litestar):
    """A copy of a shared application that uses the objects of one started service."""

    binding: Binding

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        token = _current.set(self.binding)
        try:
            await super().__call__(scope, receive, send)
        finally:
            _current.reset(token)


def share_applications() -> None:
    """Make every service that is started in this process use a shared application."""
    kernel_app.litestar_app = shared_application


def shared_application(kernel: Kernel[Any], built: BuiltService, metrics: Metrics) -> Litestar:
    """Bind a service to the shared application; takes the place of `litestar_app`."""
    values = kernel_app.dependency_values(kernel, built, metrics)
    shared = _find_or_build(kernel, built, metrics)
    bound = copy.copy(shared)
    bound.__class__ = BoundApplication
    assert isinstance(bound, BoundApplication)
    bound.binding = Binding(values, built.authenticate)
    bound.state = kernel_app.app_state(kernel)
    bound.event_emitter = SimpleEventEmitter([])
    bound.asgi_router = copy.copy(shared.asgi_router)
    # Litestar starts and stops the application that its router refers to.
    bound.asgi_router.app = bound
    bound._lifespan_managers = [kernel_app.lifespan(kernel, built)]
    return bound


def _find_or_build(kernel: Kernel[Any], built: BuiltService, metrics: Metrics) -> Litestar:
    routes = tuple(id(handler) for handler in built.routes)
    key = (kernel.service, kernel.settings.metrics_token, routes, *sorted(built.dependencies))
    if key not in _shared:
        _handlers.extend(built.routes)
        app = _build(kernel, replace(built, authenticate=_authenticate), metrics)
        # Before the dependencies are replaced, because the analysis reads their signatures.
        analyse_handlers(app)
        for name, provider in app.dependencies.items():
            provider.dependency = partial(_current_value, name)  # type: ignore[union-attr]
        _shared[key] = app
    return _shared[key]


async def _authenticate(connection: Connection) -> Identity | None:
    return await _current.get().authenticate(connection)


def _current_value(name: str) -> object:
    return _current.get().values[name]
