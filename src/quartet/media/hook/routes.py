from dataclasses import dataclass

from litestar import post
from litestar.openapi.spec import (
    OpenAPIMediaType,
    OpenAPIType,
    Operation,
    Parameter,
    RequestBody,
    Schema,
)

from quartet.kernel.errors import AppError
from quartet.kernel.service import header
from quartet.kernel.web import Injected, Request
from quartet.media.hook.request_fields import LONGEST, Fields, from_form, from_json, without_empty
from quartet.media.hook.service import Hook
from quartet.media.hook.types import HookAnswer

_ENCODED, _PARTS = "application/x-www-form-urlencoded", "multipart/form-data"

_FIELDS = {
    "path": Schema(
        type=OpenAPIType.STRING,
        max_length=LONGEST,
        description="File or folder, as the client sees it.",
    ),
    "watchFolder": Schema(
        one_of=[Schema(type=OpenAPIType.INTEGER, minimum=1), Schema(type=OpenAPIType.STRING)],
        description="Id or name of a watch folder whose settings are used.",
    ),
    "target": Schema(
        type=OpenAPIType.STRING, max_length=LONGEST, description="One target folder for all files."
    ),
    "review": Schema(type=OpenAPIType.BOOLEAN, description="Nothing is executed without approval."),
    "threshold": Schema(
        type=OpenAPIType.NUMBER,
        minimum=0,
        maximum=1,
        description="Files with at least this confidence are moved without review.",
    ),
}


@dataclass
class _Call(Operation):
    """Documents what the handler parses itself, because clients send it in four ways."""

    def __post_init__(self) -> None:
        body = OpenAPIMediaType(Schema(type=OpenAPIType.OBJECT, properties={**_FIELDS}))
        self.request_body = RequestBody(
            {kind: body for kind in ("application/json", _ENCODED, _PARTS)}
        )
        self.parameters = [
            Parameter(name=name, param_in="query", schema=schema)
            for name, schema in _FIELDS.items()
        ]


@post("/api/jobs", status_code=202, operation_class=_Call)
async def submit_job(request: Request, hook: Injected[Hook]) -> HookAnswer:
    """Creates a job; called by a download client when a download is complete.

    Takes `path`, `watchFolder`, `target`, `review` and `threshold` as JSON, as a form or in the
    query. A repeated call returns the same job.
    """
    query = from_form(request.scope["query_string"])
    return await hook.submit(without_empty(query) | without_empty(await _body(request)))


async def _body(request: Request) -> Fields:
    kind = header(request, "content-type").split(";")[0].strip().lower()
    if kind == _ENCODED:
        return from_form(await request.body())
    if kind == _PARTS:
        try:
            return {name: str(value) for name, value in (await request.form()).items()}
        except (ValueError, KeyError):
            raise AppError(400, "bad_form") from None
    body = await request.body()
    if not body.strip():
        return {}
    return from_json(body)


ROUTES = [submit_job]
