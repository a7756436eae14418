"""SOCKS proxies; those that speak HTTP the client knows itself."""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import unquote, urlsplit

import aiohttp

SOCKS_PORT = 1080


def is_socks(proxy: str) -> bool:
    return proxy.startswith("socks")


def socks_connector(proxy: str, per_host: int) -> aiohttp.BaseConnector:
    """Names are looked up by the proxy, whoever it is: nobody else shall see them."""
    # Here, since few have such a proxy.
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
    """As the client tells of other connections that were not made."""
    from aiohttp_socks import ProxyConnectionError, ProxyError, ProxyTimeoutError

    try:
        yield
    except ProxyTimeoutError:
        raise TimeoutError from None
    except (ProxyConnectionError, ProxyError):
        raise aiohttp.ClientConnectionError from None
