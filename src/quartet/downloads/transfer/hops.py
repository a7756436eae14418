"""Where a request may go, and what it may carry there."""

from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from quartet.downloads.transfer.answers import Refused
from quartet.kernel.address_policy import AddressPolicy, literal_address, parse_address
from quartet.kernel.errors import Problem

MOST_REDIRECTS = 10

_SCHEMES = ("http", "https", "ftp")
# Ours to set, or of no use to a download.
_OURS = ("range", "if-range", "accept-encoding", "content-length", "transfer-encoding")
_SECRETS = ("authorization", "cookie", "proxy-authorization", "x-api-key", "x-auth-token")


class Gate:
    """Lets nobody into the private network who was not allowed to go there."""

    def __init__(self, allow_private: bool | Iterable[str]) -> None:
        self._allowance = AddressPolicy(allow_private)

    def check(self, url: str) -> None:
        """What the address itself shows; behind a proxy nothing more can be seen."""
        scheme, host, _ = origin(url)
        if scheme not in _SCHEMES or not host or any(char.isspace() for char in url):
            raise Refused("fatal", Problem("bad_address"))
        literal = literal_address(host)
        if literal and not self._allowance.trusts(host) and not self._allowance.permits(literal):
            raise self.forbidden(url)

    def permits(self, url: str, address: str) -> bool:
        """Asked when a connection is made, with the very address it goes to."""
        if self._allowance.trusts(origin(url)[1]):
            return True
        parsed = parse_address(address.split("%")[0])
        return parsed is not None and self._allowance.permits(parsed)

    def forbidden(self, url: str) -> Refused:
        return Refused("fatal", Problem("address_forbidden", {"address": shown(url)}))


def too_many(url: str) -> Refused:
    return Refused("fatal", Problem("too_many_redirects", {"address": shown(url)}))


def origin(url: str) -> tuple[str, str, int | None]:
    try:
        parsed = urlsplit(url)
        return parsed.scheme.lower(), parsed.hostname or "", parsed.port
    except ValueError:
        return "", "", None


def shown(url: str) -> str:
    """What may be shown of an address: neither credentials nor path nor query."""
    scheme, host, port = origin(url)
    return f"{scheme}://{host}:{port}" if port else f"{scheme}://{host}"


def headers_for(headers: Mapping[str, str], first: str, url: str) -> dict[str, str]:
    """The job's own headers, without its secrets when the request left the first address."""
    dropped = _OURS if origin(first) == origin(url) else _OURS + _SECRETS
    return {name: text for name, text in headers.items() if name.lower() not in dropped}


def first_cookies(cookies: Mapping[str, str], url: str) -> tuple[str, ...]:
    """For the host of the address alone, in the form libcurl stores them."""
    host = origin(url)[1]
    lines = (f"{host}\tFALSE\t/\tFALSE\t0\t{name}\t{value}" for name, value in cookies.items())
    return tuple(line for line in lines if line.count("\t") == 6 and "\n" not in line)
