"""Forwards Click'n'Load from the browser's computer to a remote server."""

import asyncio
import json
from typing import Literal

import aiohttp
import msgspec

from quartet.downloads.clicknload.guard import ClickNLoadGuard
from quartet.downloads.clicknload.listener import Reply, application, listening
from quartet.downloads.clicknload.types import Action, Form

SECONDS = 30.0


class Forwarder:
    """`server` is the address of the download manager, as entered in a browser."""

    def __init__(self, session: aiohttp.ClientSession, server: str, token: str) -> None:
        self._session = session
        self._api = server.rstrip("/") + "/api"
        self._headers = {"Authorization": f"Bearer {token}"}

    async def test(self) -> Literal["fine", "refused", "unreachable"]:
        """Return whether the server is reachable and accepts the token."""
        try:
            async with self._session.get(
                f"{self._api}/stats", headers=self._headers, allow_redirects=False
            ) as answer:
                if answer.status in (401, 403):
                    return "refused"
                return "fine" if answer.status == 200 else "unreachable"
        except (aiohttp.ClientError, TimeoutError):
            return "unreachable"

    async def submit(self, action: Action, form: Form, referer: str) -> Reply:
        headers = {**self._headers, **({"Referer": referer} if referer else {})}
        try:
            async with self._session.post(
                f"{self._api}/cnl/flash/{action}",
                data=msgspec.structs.asdict(form),
                headers=headers,
                # The token must not be sent to another server.
                allow_redirects=False,
            ) as answer:
                if answer.status == 200:
                    return Reply(200, "success\r\n")
                code = _code(await answer.content.read(10_000))
                return Reply(answer.status, f"failed: {code}\r\n")
        except (aiohttp.ClientError, TimeoutError):
            return Reply(502, "failed: unreachable\r\n")


def session() -> aiohttp.ClientSession:
    return aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=SECONDS))


async def serve(forwarder: Forwarder, host: str, port: int) -> None:
    """Serve until cancelled."""
    async with listening(application(ClickNLoadGuard(), forwarder.submit), host, port):
        await asyncio.Event().wait()


def _code(body: bytes) -> str:
    try:
        code = json.loads(body)["code"]
    except (ValueError, KeyError, TypeError):
        return "bad_answer"
    return code if isinstance(code, str) and code.isidentifier() else "bad_answer"
