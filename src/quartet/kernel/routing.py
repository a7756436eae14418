"""Registers the routes of an application quickly.

Litestar analyses the signature of each handler at the start and checks all routes again after each
one. A service has up to two hundred handlers, so this takes a third of a second and several
megabytes, although most handlers are not called soon. Here a handler is analysed before its first
request, and the routes are checked once.
"""

from typing import Any

from litestar import Litestar, Router
from litestar._kwargs.kwargs_model import KwargsModel
from litestar.handlers import HTTPRouteHandler
from litestar.plugins import PluginProtocol
from litestar.plugins.core import MsgspecDIPlugin
from litestar.routes import BaseRoute, HTTPRoute, WebSocketRoute
from litestar.types import ControllerRouterHandler

from quartet.kernel.responses import answer_structs


class Application(Litestar):
    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        for route in self.routes:
            self._prepare(route)
            for plugin in self.plugins.receive_route:
                plugin.receive_route(route)
        self.asgi_router.construct_routing_trie()

    def register(self, value: ControllerRouterHandler) -> None:  # type: ignore[override]
        """Collect a route; the constructor of Litestar calls this for each handler."""
        Router.register(self, value)

    def _prepare(self, route: BaseRoute) -> None:
        if isinstance(route, HTTPRoute):
            for handler in route.route_handlers:
                # The access middleware reads the options of a handler before the first request.
                handler.resolve_opts()
                model = DeferredKwargs(self, handler, route)
                route.route_handler_map |= dict.fromkeys(handler.http_methods, (handler, model))
        elif isinstance(route, WebSocketRoute):
            route.route_handler.on_registration(self)
            route.handler_parameter_model = route.route_handler.create_kwargs_model(
                path_parameters=route.path_parameters
            )

    @staticmethod
    def _get_default_plugins(plugins: list[PluginProtocol]) -> list[PluginProtocol]:
        """Leave out the pydantic and attrs plugins: they are not used and take ten megabytes."""
        return [*plugins, MsgspecDIPlugin()]


def analyse_handlers(app: Litestar) -> None:
    """Analyse the handlers that were not called yet, as the OpenAPI document needs it."""
    for route in app.routes:
        if isinstance(route, HTTPRoute):
            for _, model in route.route_handler_map.values():
                _ = model.has_kwargs


class DeferredKwargs(KwargsModel):
    """Analyses its handler when one of its attributes is first used."""

    __slots__ = ("_app", "_handler", "_route")

    def __init__(self, app: Litestar, handler: HTTPRouteHandler, route: HTTPRoute) -> None:
        self._app = app
        self._handler = handler
        self._route = route

    def __getattr__(self, name: str) -> Any:
        # Python calls this for a slot without a value only.
        if name not in KwargsModel.__slots__:
            raise AttributeError(name)
        self._handler.on_registration(self._app)
        found = self._handler.create_kwargs_model(path_parameters=self._route.path_parameters)
        answer_structs(self._handler)
        for each in KwargsModel.__slots__:
            setattr(self, each, getattr(found, each))
        return getattr(self, name)
