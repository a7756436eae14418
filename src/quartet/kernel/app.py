"""Builds the web application of a service from its features."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from litestar import Litestar
from litestar.datastructures import State
from litestar.di import Provide
from litestar.handlers import HTTPRouteHandler
from litestar.types import ControllerRouterHandler

from quartet.kernel import live, openapi, system, ui_files
from quartet.kernel.access_control import access_middleware
from quartet.kernel.audit import routes as audit_routes
from quartet.kernel.audit.tasks import audit_task
from quartet.kernel.backups import routes as backup_routes
from quartet.kernel.backups.tasks import backup_task
from quartet.kernel.conditions.tasks import health_task
from quartet.kernel.edge import Edge
from quartet.kernel.error_responses import (
    MAX_BODY_BYTES,
    MAX_PUBLIC_BODY_BYTES,
    error_response,
)
from quartet.kernel.errors import AppError
from quartet.kernel.kernel_gauges import add_kernel_gauges
from quartet.kernel.leader import tasks_for_this_process
from quartet.kernel.metrics import Metrics
from quartet.kernel.requests import StrictRequest
from quartet.kernel.responses import StructResponse
from quartet.kernel.routing import Application
from quartet.kernel.service import WAKE_TASK, BuiltService, Kernel
from quartet.kernel.supervisor import BackgroundTask
from quartet.kernel.trends import routes as trends_routes
from quartet.kernel.trends.tasks import trends_task


def build_app(kernel: Kernel[Any], built: BuiltService) -> Edge:
    metrics = Metrics()
    add_kernel_gauges(kernel, metrics)
    metrics.gauges += built.gauges
    metrics.stored += built.stored_gauges
    app: Any = litestar_app(kernel, built, metrics)
    if tracing := kernel.tracing:
        from quartet.kernel.tracing import TracedApp

        app = TracedApp(app, tracing)
        kernel.supervisor.traced = tracing.task
    return Edge(
        app,
        kernel.settings,
        metrics,
        # They do not pass through the application, where requests are traced.
        {} if tracing else built.fast_paths,
        built.public_json,
        built.cross_origin_paths,
        built.framed_paths,
        compress=built.compress,
        fast_version=built.fast_version,
        fast_files={} if tracing else built.fast_files,
    )


def litestar_app(kernel: Kernel[Any], built: BuiltService, metrics: Metrics) -> Litestar:
    values = dependency_values(kernel, built, metrics)
    routes = [
        *built.routes,
        *system.ROUTES,
        *openapi.ROUTES,
        *backup_routes.ROUTES,
        *audit_routes.ROUTES,
        *trends_routes.ROUTES,
        *ui_files.ROUTES,
    ]
    return Application(
        route_handlers=[_with_body_limit(each) for each in routes],
        dependencies={name: _Constant(value) for name, value in values.items()},
        middleware=[access_middleware(built.authenticate, kernel.settings.metrics_token)],
        exception_handlers={Exception: error_response},
        request_class=StrictRequest,
        response_class=StructResponse,
        lifespan=[lifespan(kernel, built)],
        openapi_config=openapi.openapi_config(kernel.service),
        request_max_body_size=MAX_BODY_BYTES,
        logging_config=None,
        state=app_state(kernel),
    )


def app_state(kernel: Kernel[Any]) -> State:
    """Return what code without dependencies finds at the application."""
    return State({"service": kernel.service, "audit_log": kernel.audit_log})


def dependency_values(
    kernel: Kernel[Any], built: BuiltService, metrics: Metrics
) -> dict[str, object]:
    """Return what handlers receive by parameter name."""
    return {
        **built.dependencies,
        "kernel": kernel,
        "metrics": metrics,
        "audit_log": kernel.audit_log,
        "ui_files": ui_files.UiFiles(kernel.service, kernel.settings.base_path, demo=kernel.demo),
    }


def _with_body_limit(handler: ControllerRouterHandler) -> ControllerRouterHandler:
    """Limit the bodies that anyone may send; a handler with `own_body_limit` does so itself."""
    if (
        isinstance(handler, HTTPRouteHandler)
        and handler.opt.get("public")
        and not handler.opt.get("own_body_limit")
    ):
        handler.request_max_body_size = MAX_PUBLIC_BODY_BYTES
    return handler


class _Constant(Provide):
    """A value that handlers receive by name.

    Litestar compares all pairs of dependencies for every handler. Comparing their attributes takes
    150 ms at start-up, and two of our dependencies are never equal.
    """

    __slots__ = ()
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __init__(self, value: object) -> None:
        super().__init__(lambda: value, sync_to_thread=False)


def lifespan(kernel: Kernel[Any], built: BuiltService) -> Callable[[Litestar], Any]:
    @asynccontextmanager
    async def run(_app: Litestar) -> AsyncIterator[None]:
        await kernel.events.start()
        kernel.events.on(WAKE_TASK, lambda loop: _wake_task(kernel, loop))
        await kernel.supervisor.start(tasks_for_this_process(kernel, _tasks(kernel, built)))
        try:
            yield
        finally:
            await kernel.supervisor.stop()
            await kernel.audit_log.flush()
            await kernel.events.stop()
            await kernel.close()

    return run


def _tasks(kernel: Kernel[Any], built: BuiltService) -> list[BackgroundTask]:
    own = [
        live.system_task(kernel),
        audit_task(kernel.audit_log),
        health_task(kernel),
        trends_task(kernel),
    ]
    if not kernel.demo:
        own.append(backup_task(kernel))
    return [*built.background_tasks, *own]


def _wake_task(kernel: Kernel[Any], loop: str) -> None:
    # The task may run in another process, and commands run without background tasks.
    with suppress(AppError):
        kernel.supervisor.run_now(loop)
