"""DLC containers: encrypted XML whose key is provided by an online service."""

import asyncio
import binascii
import re
from base64 import b64decode
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import quote

from quartet.downloads import aes
from quartet.downloads.containers.types import ContainerPackage
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.errors import AppError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from quartet.kernel.outbound import OutboundClient

KEY_CHARACTERS = 88
LARGEST_ANSWER = 10_000
_KEY = re.compile(r"[A-Za-z0-9+/=]{88}")
_ANSWER = re.compile(r"<rc>\s*([A-Za-z0-9+/=]+)\s*</rc>")


async def packages_of_dlc(
    content: bytes, settings: DownloadsSettings, outbound: "OutboundClient"
) -> list[ContainerPackage]:
    body, wrapped = await asyncio.to_thread(_split_key, content)
    if not body or not _KEY.fullmatch(wrapped):
        raise AppError(422, "container_damaged")
    if not settings.dlc_service:
        raise AppError(409, "dlc_service_missing")
    key = await _content_key(wrapped, settings, outbound)
    return await asyncio.to_thread(lambda: list(_packages(aes.decrypted(_decoded(body), key, key))))


def _split_key(content: bytes) -> tuple[str, str]:
    text = "".join(content.decode("ascii", "replace").split())
    return text[:-KEY_CHARACTERS], text[-KEY_CHARACTERS:]


async def _content_key(
    wrapped: str, settings: DownloadsSettings, outbound: "OutboundClient"
) -> bytes:
    """Ask the service for the key of a container.

    The response is encrypted with the application key, if the service has issued one.
    """
    address = settings.dlc_service.replace("{data}", quote(wrapped, safe=""))
    answer = await outbound.get(address, max_bytes=LARGEST_ANSWER)
    found = _ANSWER.search(answer.text)
    if not answer.ok or found is None:
        raise AppError(502, "dlc_service_refused", status=answer.status)
    key = _decoded(found[1])[: aes.BLOCK]
    if len(key) != aes.BLOCK:
        raise AppError(502, "dlc_service_refused", status=answer.status)
    if not settings.dlc_app_key:
        return key
    own, vector = _settings_key(settings.dlc_app_key), _settings_key(settings.dlc_app_vector or "")
    return aes.decrypted(key, own, vector)


def _settings_key(digits: str) -> bytes:
    """Decode a key from the settings, 32 hexadecimal digits."""
    try:
        key = bytes.fromhex(digits)
    except ValueError:
        key = b""
    if len(key) != aes.BLOCK:
        raise AppError(500, "dlc_key_invalid")
    return key


def _packages(encoded: bytes) -> Iterator[ContainerPackage]:
    """Parse the XML, which is base64-encoded, as are the names and links in it."""
    from xml.etree.ElementTree import ParseError

    from defusedxml import DefusedXmlException  # type: ignore[import-untyped]
    from defusedxml.ElementTree import fromstring  # type: ignore[import-untyped]

    try:
        root: Element = fromstring(b64decode(encoded.rstrip(b"\0")), forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError):
        raise AppError(422, "container_damaged") from None
    for package in root.iter("package"):
        links = [_text(url.text or "") for url in package.iterfind("file/url")]
        yield ContainerPackage(_text(package.get("name", "")), "\n".join(links))


def _text(encoded: str) -> str:
    return _decoded(encoded).decode("utf-8", "replace").strip()


def _decoded(text: str) -> bytes:
    try:
        return b64decode(text)
    except (binascii.Error, ValueError):
        raise AppError(422, "container_damaged") from None
