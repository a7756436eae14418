"""Helpers that act as a web page using Click'n'Load."""

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC

from tests.client import NO_AUTHORITIES, Client
from tests.downloads.api_calls import packages
from tests.downloads.conftest import logged_in
from tests.real_servers import free_port

KEY = bytes(range(16))
LINKS = "https://files.example/one.rar\r\nhttps://files.example/two.rar"
PAGE = "https://links.example/folder/1"


def encrypted(text: str, key: bytes = KEY) -> str:
    data = text.encode()
    data += bytes(-len(data) % 16)
    writer = Cipher(AES(key), CBC(key)).encryptor()
    return b64encode(writer.update(data) + writer.finalize()).decode()


def jk(key: bytes = KEY) -> str:
    return f"function f(){{ return '{key.hex()}';}}"


@asynccontextmanager
async def listening(data: Path, **settings: Any) -> AsyncIterator[tuple[Client, httpx.AsyncClient]]:
    """Start a download manager with Click'n'Load, and a page that talks to it."""
    port = free_port()
    async with logged_in(data, cnl_port=port, **settings) as ada:
        await until_listening(port)
        address = f"http://127.0.0.1:{port}"
        async with httpx.AsyncClient(base_url=address, verify=NO_AUTHORITIES) as page:
            yield ada, page


async def until_listening(port: int) -> None:
    """Wait until the port responds; a connection that was not accepted would be left over."""
    async with asyncio.timeout(60):
        while not await _answers(port):
            await asyncio.sleep(0.02)


async def _answers(port: int) -> bool:
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.write(b"GET / HTTP/1.0\r\n\r\n")
    await reader.read()
    writer.close()
    await writer.wait_closed()
    return True


async def collected(ada: Client) -> list[tuple[str, list[str]]]:
    """Return the packages in the link grabber with their links; the queue must be empty."""
    assert await packages(ada) == []
    return [
        (each["name"], [download["url"] for download in each["downloads"]])
        for each in await packages(ada, "collector")
    ]
