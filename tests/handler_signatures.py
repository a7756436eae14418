"""Share parsed handler signatures between the applications of a service, because Litestar parses
them for each application.
"""

from typing import Any

from litestar import Litestar
from litestar.handlers import BaseRouteHandler

from quartet.kernel import system, ui_files
from quartet.kernel.startup import StartedService


def reuse_signatures(started: StartedService[Any]) -> None:
    """Copy the parsed signatures to the handlers from which the next application is built."""
    app = started.app.app
    assert isinstance(app, Litestar)
    built = {handler.fn: handler for route in app.routes for handler in _handlers(route)}
    for handler in [*started.built.routes, *system.ROUTES, *ui_files.ROUTES]:
        if isinstance(handler, BaseRouteHandler) and (ready := built.get(handler.fn)):
            handler._parsed_fn_signature = ready._parsed_fn_signature
            handler._signature_model = ready._signature_model


def _handlers(route: Any) -> list[BaseRouteHandler]:
    return getattr(route, "route_handlers", None) or [route.route_handler]
