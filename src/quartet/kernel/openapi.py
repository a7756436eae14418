"""The OpenAPI document of a service."""

from typing import Any

import msgspec
from litestar import Litestar, Router, get
from litestar.enums import OpenAPIMediaType
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme
from litestar.routes import BaseRoute
from litestar.types import ControllerRouterHandler

from quartet import __version__
from quartet.kernel.errors import Problem
from quartet.kernel.routing import analyse_handlers
from quartet.kernel.web import PUBLIC, Request

ERROR_RESPONSE = {
    "description": "A code with its inputs; the UI has the text.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
}


def openapi_config(service: str) -> OpenAPIConfig:
    return OpenAPIConfig(
        title=f"Quartet {service}",
        version=__version__,
        openapi_router=_NoRoutes("/api", route_handlers=[]),
        render_plugins=[JsonRenderPlugin()],
        use_handler_docstrings=True,
        components=Components(
            security_schemes={"bearer": SecurityScheme(type="http", scheme="bearer")}
        ),
    )


def document(app: Litestar) -> str:
    """Render the document deterministically: no addresses, no times, sorted keys."""
    analyse_handlers(app)
    encoded = msgspec.json.encode(corrected(app.openapi_schema.to_schema()), order="sorted")
    return msgspec.json.format(encoded, indent=2).decode() + "\n"


def corrected(schema: dict[str, Any]) -> dict[str, Any]:
    """Replace Litestar's error schema with ours and correct what it says about responses."""
    schema["components"].setdefault("schemas", {})["Problem"] = problem_schema()
    for operations in schema["paths"].values():
        for operation in operations.values():
            answers = operation["responses"]
            for status in [status for status in answers if status.startswith("4")]:
                del answers[status]
            answers["default"] = ERROR_RESPONSE
            answers.get("204", {}).pop("content", None)
            for answer in answers.values():
                # Litestar declares the format of JSON times, but this header has its own.
                modified = answer.get("headers", {}).get("last-modified", {})
                modified.get("schema", {}).pop("format", None)
    return schema


def problem_schema() -> dict[str, Any]:
    _, components = msgspec.json.schema_components([Problem])
    found: dict[str, Any] = components["Problem"]
    return found


@get(
    "/api/openapi.json",
    media_type=OpenAPIMediaType.OPENAPI_JSON,
    include_in_schema=False,
    sync_to_thread=False,
    **PUBLIC,
)
def openapi_document(request: Request) -> bytes:
    return document(request.app).encode()


class _NoRoutes(Router):
    """Registers none of Litestar's routes: they would need all handlers analysed at the start."""

    def register(self, value: ControllerRouterHandler) -> list[BaseRoute]:
        return []


ROUTES = [openapi_document]
