from dataclasses import dataclass
from urllib.parse import unquote

from litestar import post
from litestar.datastructures import UploadFile
from litestar.openapi.spec import (
    OpenAPIFormat,
    OpenAPIMediaType,
    OpenAPIType,
    Operation,
    RequestBody,
    Schema,
)
from litestar.params import FromQuery

from quartet.downloads.containers.service import LARGEST_FILE, Containers
from quartet.downloads.containers.types import Opened
from quartet.kernel.errors import AppError
from quartet.kernel.service import header
from quartet.kernel.web import Injected, Request

MOST_FILES = 100


@dataclass
class _Upload(Operation):
    """Documents the request body, which the handler parses in two formats."""

    def __post_init__(self) -> None:
        file = Schema(type=OpenAPIType.STRING, format=OpenAPIFormat.BINARY)
        files = Schema(type=OpenAPIType.ARRAY, items=file)
        form = Schema(type=OpenAPIType.OBJECT, properties={"files": files})
        self.request_body = RequestBody(
            required=True,
            content={
                "multipart/form-data": OpenAPIMediaType(schema=form),
                "application/octet-stream": OpenAPIMediaType(schema=file),
            },
        )


@post("/api/containers", status_code=200, operation_class=_Upload)
async def open_containers(
    request: Request, containers: Injected[Containers], name: FromQuery[str] = ""
) -> Opened:
    """Add the packages of container files and link lists to the link grabber.

    Also reads the queues of JDownloader (`downloadList*.zip`, `*.crawljob`), pyLoad (`pyload.db`)
    and aria2 (its session file).

    Send several files as `multipart/form-data`, or one as the body with its name in `name`.
    """
    if header(request, "content-type").lower().startswith("multipart/form-data"):
        return await containers.open(await _files(request))
    return await containers.open([(unquote(name), await request.body())])


async def _files(request: Request) -> list[tuple[str, bytes]]:
    form = await request.form()
    files = [each for each in form.values() if isinstance(each, UploadFile)]
    if len(files) > MOST_FILES:
        raise AppError(413, "too_large", limit=MOST_FILES)
    return [(each.filename, await each.read(LARGEST_FILE + 1)) for each in files]


ROUTES = [open_containers]
