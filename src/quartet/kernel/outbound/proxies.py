"""SOCKS proxies; aiohttp supports HTTP proxies itself."""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import unquote, urlsplit

import aiohttp

SOCKS_PORT = 1080


def is_socks(proxy: str) -> bool:
    return proxy.startswith("socks")


def socks_connector(proxy: str, per_host: int) -> aiohttp.BaseConnector:
    """Make a connector whose proxy also resolves names, so that DNS queries do not leak."""
    # Imported here because few installations use a SOCKS proxy.
    from aiohttp_socks import ProxyConnector, ProxyType

    parts = urlsplit(proxy)
    return ProxyConnector(
        proxy_type=ProxyType.SOCKS4 if parts.scheme.startswith("socks4") else ProxyType.SOCKS5,
        host=parts.hostname or "",
        port=parts.port or SOCKS_PORT,
        username=unquote(parts.username or "") or None,
        password=unquote(parts.password or "") or None,
        rdns=True,
        limit_per_host=per_host,
    )


@contextmanager
def socks_errors() -> Iterator[None]:
    """Convert SOCKS errors to the errors aiohttp raises for other connections."""
    from aiohttp_socks import ProxyConnectionError, ProxyError, ProxyTimeoutError

    try:
        yield
    except ProxyTimeoutError:
        raise TimeoutError from None
    except (ProxyConnectionError, ProxyError):
        raise aiohttp.ClientConnectionError from None
