from litestar import delete, get, post, put
from litestar.params import FromPath

from quartet.kernel.web import Injected, JSONBody
from quartet.media.naming import service
from quartet.media.naming.service import Formats
from quartet.media.naming.types import (
    Detected,
    DetectRequest,
    Format,
    FormatPreview,
    FormatPreviewRequest,
    ImportedFormat,
    NewFormat,
    SchemeImport,
)


@get("/api/formats")
async def list_formats(saved_formats: Injected[Formats]) -> list[Format]:
    """Lists the built-in name formats, then the saved ones."""
    return await saved_formats.all()


@post("/api/formats")
async def add_format(data: JSONBody[NewFormat], saved_formats: Injected[Formats]) -> Format:
    return await saved_formats.add(data)


@put("/api/formats/{format_id:str}")
async def change_format(
    format_id: FromPath[str], data: JSONBody[NewFormat], saved_formats: Injected[Formats]
) -> Format:
    return await saved_formats.change(format_id, data)


@delete("/api/formats/{format_id:str}", audit="deleted")
async def remove_format(format_id: FromPath[str], saved_formats: Injected[Formats]) -> None:
    await saved_formats.remove(format_id)


@post("/api/formats/preview", status_code=200)
async def preview_format(data: JSONBody[FormatPreviewRequest]) -> FormatPreview:
    """Renders example names, or returns the error in the template with its position."""
    return service.preview(data)


@post("/api/formats/detect", status_code=200)
async def detect_format(
    data: JSONBody[DetectRequest], saved_formats: Injected[Formats]
) -> Detected:
    """Detects the template by which the files of an existing library were named."""
    return await saved_formats.detect(data)


@post("/api/formats/import", status_code=200)
async def import_format(data: JSONBody[SchemeImport]) -> ImportedFormat:
    """Translates a naming scheme of FileBot, tinyMediaManager, Sonarr or Radarr; saves nothing."""
    return service.import_scheme(data)


ROUTES = [
    list_formats,
    add_format,
    change_format,
    remove_format,
    preview_format,
    detect_format,
    import_format,
]
