"""Lets one recipient be in a private network, without allowing other private addresses."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from quartet.kernel.address_policy import literal_address
from quartet.kernel.service import Kernel
from quartet.media.notify.types import MediaServer, Notification, Webhook

if TYPE_CHECKING:
    from quartet.kernel.outbound import OutboundClient

Recipient = Notification | Webhook | MediaServer


def allowed_addresses(kernel: Kernel[Any], recipient: Recipient) -> bool | tuple[str, ...]:
    """Return the private addresses that may be reached for this recipient."""
    allowed = kernel.allow_private
    host = _host(recipient.url) if recipient.private else ""
    if isinstance(allowed, bool) or not host:
        return allowed
    return (*allowed, host)


@asynccontextmanager
async def private_client(
    kernel: Kernel[Any], recipient: Recipient
) -> "AsyncIterator[OutboundClient]":
    if not recipient.private:
        yield kernel.outbound
        return
    # Imported here so that the HTTP client is loaded on first use, not at startup.
    from quartet.kernel.outbound import OutboundClient

    # Without the proxy, which is for the internet.
    async with OutboundClient(allow_private=allowed_addresses(kernel, recipient)) as client:
        yield client


def _host(url: str) -> str:
    """Return the host of the address; empty for one that must never be reached."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    address = literal_address(host)
    # Link-local addresses are those of the metadata services of clouds.
    return "" if address is not None and address.is_link_local else host
