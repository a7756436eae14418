"""The sample server: files with range support, and long ones that are sent slowly."""

import asyncio
from contextlib import suppress
from pathlib import Path

from aiohttp import web

from quartet.downloads.demo.files import CAPTCHA, CAPTCHA_ANSWER, ICON, SLOW
from quartet.downloads.demo.settings import ADDRESS
from quartet.kernel.supervisor import BackgroundTask

_CHUNK = 16 * 1024
# Per connection; a download uses several.
_BYTES_PER_SECOND = 160 * 1024
_PATTERN = bytes(range(256)) * (_CHUNK // 256)


class SampleServer:
    def __init__(self, folder: Path, port: int) -> None:
        self._folder = folder
        self._port = port
        self.base = f"http://{ADDRESS}:{port}"

    def loop(self) -> BackgroundTask:
        return BackgroundTask("demo server", self._run)

    async def _run(self) -> None:
        app = web.Application()
        app.add_routes(
            [
                web.get("/captcha.png", self._captcha),
                web.get("/favicon.ico", self._icon),
                web.get("/info/{name}", self._info),
                web.get("/files/{name}", self._file),
            ]
        )
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        try:
            await web.TCPSite(runner, ADDRESS, self._port).start()
            await asyncio.Event().wait()
        finally:
            await runner.cleanup()

    async def _captcha(self, _request: web.Request) -> web.Response:
        return web.Response(
            body=CAPTCHA.read_bytes(),
            content_type="image/png",
            headers={"X-Answer": CAPTCHA_ANSWER},
        )

    async def _icon(self, _request: web.Request) -> web.Response:
        return web.Response(body=ICON.read_bytes(), content_type="image/png")

    async def _info(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        size = SLOW.get(name)
        if size is None:
            size = self._path(name).stat().st_size
        return web.json_response({"size": size})

    async def _file(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        if name in SLOW:
            return await _send_slowly(request, SLOW[name])
        return web.FileResponse(self._path(name))

    def _path(self, name: str) -> Path:
        path = self._folder / name
        # The route does not match slashes, but it matches `..`.
        if path.parent != self._folder or not path.is_file():
            raise web.HTTPNotFound
        return path


async def _send_slowly(request: web.Request, size: int) -> web.StreamResponse:
    wanted = request.http_range
    first, end = wanted.start or 0, min(wanted.stop or size, size)
    if first >= end:
        raise web.HTTPRequestRangeNotSatisfiable
    partial = "Range" in request.headers
    answer = web.StreamResponse(status=206 if partial else 200)
    answer.content_length = end - first
    answer.headers["ETag"] = f'"{size}"'
    answer.headers["Accept-Ranges"] = "bytes"
    if partial:
        answer.headers["Content-Range"] = f"bytes {first}-{end - 1}/{size}"
    # Ends quietly if the download is paused or the service stops.
    with suppress(ConnectionError):
        await answer.prepare(request)
        now = asyncio.get_running_loop().time
        due = now()
        for place in range(first, end, _CHUNK):
            length = min(_CHUNK, end - place)
            await answer.write(_PATTERN[:length])
            # Writing takes time as well; a client that was slow is not sent more later.
            due = max(due, now() - 1) + length / _BYTES_PER_SECOND
            await asyncio.sleep(due - now())
        await answer.write_eof()
    return answer
