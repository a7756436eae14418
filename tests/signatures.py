"""Litestar reads the signature of every handler for each application: here once for a service."""

from typing import Any

from litestar import Litestar
from litestar.handlers import BaseRouteHandler

from quartet.kernel import system, ui_files
from quartet.kernel.startup import StartedService


def keep_signatures(started: StartedService[Any]) -> None:
    """What was read goes to the handlers that the next application of the service is made of."""
    app = started.app.app
    assert isinstance(app, Litestar)
    built = {handler.fn: handler for route in app.routes for handler in _handlers(route)}
    for handler in [*started.built.routes, *system.ROUTES, *ui_files.ROUTES]:
        if isinstance(handler, BaseRouteHandler) and (ready := built.get(handler.fn)):
            handler._parsed_fn_signature = ready._parsed_fn_signature
            handler._signature_model = ready._signature_model


def _handlers(route: Any) -> list[BaseRouteHandler]:
    return getattr(route, "route_handlers", None) or [route.route_handler]
