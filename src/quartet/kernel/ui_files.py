"""Serves the built web UI; unknown paths get the page itself."""

import gzip
import mimetypes
from contextlib import suppress
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from litestar import HttpMethod, Response, route

from quartet.kernel.compression import accepted_encodings
from quartet.kernel.errors import AppError
from quartet.kernel.web import PUBLIC, Injected, Request

UI_FOLDER = Path(__file__).parent.parent / "ui"
COMPRESSIBLE = ("text/", "application/javascript", "application/json", "image/svg+xml")
BASE_TAG = '<base href="/"'
# Written by the build, because the best compression takes longer than a request may.
BROTLI = ".br"


class UiFile:
    def __init__(
        self, body: bytes, kind: str, brotli: bytes | None = None, *, for_ever: bool = False
    ) -> None:
        self.body = body
        self.kind = kind
        self.brotli = brotli
        self.tag = f'"{sha256(body).hexdigest()[:16]}"'
        self.caching = "public, max-age=31536000, immutable" if for_ever else "no-cache"

    @cached_property
    def zipped(self) -> bytes | None:
        if not self.kind.startswith(COMPRESSIBLE):
            return None
        return gzip.compress(self.body, mtime=0)

    def answer(self, request: Request) -> Response[bytes]:
        headers = {"etag": self.tag, "cache-control": self.caching, "vary": "accept-encoding"}
        if request.headers.get("if-none-match") == self.tag:
            return Response(b"", status_code=304, headers=headers)
        body, encoding = self._encoded(request.headers.get("accept-encoding", ""))
        if encoding:
            headers["content-encoding"] = encoding
        # As a header and not as a media type: Litestar would add the charset once more.
        return Response(body, headers={**headers, "content-type": self.kind})

    def _encoded(self, accepted: str) -> tuple[bytes, str]:
        """Return the smallest body that the client accepts, and its encoding."""
        encodings = accepted_encodings(accepted)
        if self.brotli and "br" in encodings:
            return self.brotli, "br"
        if "gzip" in encodings and self.zipped:
            return self.zipped, "gzip"
        return self.body, ""


class UiFiles:
    """Assets are read when they are first needed, everything else together.

    Their names contain a hash of their content, so an update on disk is never served in part.
    """

    def __init__(self, service: str, base_path: str, *, demo: bool = False) -> None:
        self._demo = demo
        self._base_path = base_path.rstrip("/")
        self._app = UI_FOLDER / service
        self._docs = UI_FOLDER / "docs"

    @cached_property
    def _files(self) -> "_Folder":
        return _Folder(self._app)

    @cached_property
    def _api_docs(self) -> "_Folder":
        return _Folder(self._docs)

    @cached_property
    def html(self) -> str:
        """The HTML page with its base set to the path at the reverse proxy.

        `data-demo` tells the page that it belongs to a demo.
        """
        index = self._files.get("index.html")
        if index is None:
            raise AppError(503, "ui_missing")
        text = index.body.decode().replace(BASE_TAG, f'<base href="{self._base_path}/"', 1)
        return text.replace("<html ", "<html data-demo ", 1) if self._demo else text

    @cached_property
    def page(self) -> UiFile:
        return UiFile(self.html.encode(), "text/html; charset=utf-8")

    def find(self, path: str) -> UiFile:
        path = path.lstrip("/")
        if path.startswith("api/docs"):
            found = self._api_docs.get(path.removeprefix("api/docs").lstrip("/") or "index.html")
        else:
            found = self.page if path == "index.html" else self._files.get(path)
        if found is None and path.startswith(("assets/", "api/docs")):
            raise AppError(404, "not_found")
        return found or self.page


class _Folder:
    """Only listed files are found; request paths are never joined with file system paths."""

    def __init__(self, folder: Path) -> None:
        self._paths = {
            path.relative_to(folder).as_posix(): path
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.suffix != BROTLI
        }
        self._files = {
            name: _read(path) for name, path in self._paths.items() if not _is_asset(path)
        }

    def get(self, name: str) -> UiFile | None:
        if name not in self._files and name in self._paths:
            # An update may have deleted the assets of the version that still runs.
            with suppress(FileNotFoundError):
                self._files[name] = _read(self._paths[name])
        return self._files.get(name)


def _is_asset(path: Path) -> bool:
    return path.parent.name == "assets"


def _read(path: Path) -> UiFile:
    return UiFile(path.read_bytes(), _kind(path), _brotli_of(path), for_ever=_is_asset(path))


def _brotli_of(path: Path) -> bytes | None:
    compressed = path.with_name(path.name + BROTLI)
    return compressed.read_bytes() if compressed.is_file() else None


def _kind(path: Path) -> str:
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return f"{kind}; charset=utf-8" if kind.startswith(COMPRESSIBLE[:2]) else kind


@route(
    ["/", "/{path:path}", "/api/docs", "/api/docs/{path:path}"],
    http_method=[HttpMethod.GET, HttpMethod.HEAD],
    include_in_schema=False,
    sync_to_thread=False,
    **PUBLIC,
)
def ui(request: Request, ui_files: Injected[UiFiles]) -> Response[bytes]:
    return ui_files.find(request.scope["path"]).answer(request)


@route(
    "/api/{path:path}",
    http_method=list(HttpMethod),
    include_in_schema=False,
    sync_to_thread=False,
    **PUBLIC,
)
def unknown_api_path() -> None:
    raise AppError(404, "not_found")


ROUTES = [ui, unknown_api_path]
