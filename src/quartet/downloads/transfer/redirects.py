"""Decides which addresses a request may go to and which headers it may carry there."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from urllib.parse import urlsplit

from quartet.downloads.transfer.responses import TransferError
from quartet.downloads.transfer.types import ServerCredentials
from quartet.kernel.address_policy import AddressPolicy, literal_address, parse_address
from quartet.kernel.errors import Problem

MOST_REDIRECTS = 10

_SPACE = re.compile(r"\s")
_SCHEMES = ("http", "https", "ftp", "sftp")
# Set by the engine, or of no use to a download.
_RESERVED = ("range", "if-range", "accept-encoding", "content-length", "transfer-encoding")
PORTS = {"http": 80, "https": 443, "ftp": 21, "sftp": 22}
_SECRETS = ("authorization", "cookie", "proxy-authorization", "x-api-key", "x-auth-token")


class RedirectPolicy:
    """Blocks requests to the private network unless they are allowed."""

    def __init__(self, allow_private: bool | Iterable[str]) -> None:
        self._allowance = AddressPolicy(allow_private)

    def check(self, url: str) -> None:
        """Check the URL itself; behind a proxy nothing more can be checked."""
        self.check_host(url)
        if is_ftp_folder(url):
            raise TransferError("fatal", Problem("ftp_folder"))

    def check_host(self, url: str) -> None:
        scheme, host, _ = origin(url)
        if scheme not in _SCHEMES or not host or _SPACE.search(url):
            raise TransferError("fatal", Problem("bad_address"))
        literal = literal_address(host)
        if literal and not self._allowance.trusts(host) and not self._allowance.permits(literal):
            raise self.forbidden(url)

    def check_target(self, url: str) -> None:
        """Check the target of a redirect, which must not be a server that gets a login."""
        if origin(url)[0] == "sftp":
            raise TransferError("fatal", Problem("bad_address"))
        self.check(url)

    def permits(self, url: str, address: str) -> bool:
        """Check the resolved address of a connection before it is made."""
        if self._allowance.trusts(origin(url)[1]):
            return True
        parsed = parse_address(address.split("%")[0])
        return parsed is not None and self._allowance.permits(parsed)

    def forbidden(self, url: str) -> TransferError:
        return TransferError("fatal", Problem("address_forbidden", {"address": origin_text(url)}))


def is_ftp_folder(url: str) -> bool:
    """Return whether an FTP or SFTP server would send a list of files instead of a file."""
    if not url[:7].lower().startswith(("ftp://", "sftp://")):
        return False
    try:
        path = urlsplit(url).path.partition(";")[0]
    except ValueError:
        return False
    return path in ("", "/") or path.endswith("/")


def too_many_redirects(url: str) -> TransferError:
    return TransferError("fatal", Problem("too_many_redirects", {"address": origin_text(url)}))


def origin(url: str) -> tuple[str, str, int | None]:
    # All of it comes before the third slash, and links of a package often have it in common.
    return _parsed_origin("/".join(url.split("/", 3)[:3]))


@lru_cache(maxsize=1000)
def _parsed_origin(url: str) -> tuple[str, str, int | None]:
    try:
        parsed = urlsplit(url)
        return parsed.scheme.lower(), parsed.hostname or "", parsed.port
    except ValueError:
        return "", "", None


def origin_text(url: str) -> str:
    """Return the part of an address that may be shown: no credentials, path or query."""
    scheme, host, port = origin(url)
    host = f"[{host}]" if ":" in host else host
    return f"{scheme}://{host}:{port}" if port else f"{scheme}://{host}"


def may_have_secrets(first: str, url: str) -> bool:
    """Return whether secrets for the first URL may be sent to another one: the same server, or the
    same host after a redirect from http to https.
    """
    if first == url:
        return True
    before, after = _server(first), _server(url)
    upgraded = (before[0], after[0]) == ("http", "https") and (before[2], after[2]) == (80, 443)
    return before == after or (upgraded and before[1] == after[1])


def _server(url: str) -> tuple[str, str, int | None]:
    scheme, host, port = origin(url)
    return scheme, host, port or PORTS.get(scheme)


def login_for(logins: Iterable[ServerCredentials], url: str) -> ServerCredentials | None:
    """Return the login for the server of a URL, unless the URL contains one."""
    if "@" in "/".join(url.split("/", 3)[:3]):
        return None
    return next((each for each in logins if may_have_secrets(each.address, url)), None)


def headers_for(
    headers: Mapping[str, str], own: Mapping[str, str], first: str, url: str
) -> dict[str, str]:
    """Return the headers for a request; secrets and `own` headers only for the first server."""
    same = may_have_secrets(first, url)
    dropped = _RESERVED if same else _RESERVED + _SECRETS
    sent = {**headers, **own} if same else headers
    return {name: text for name, text in sent.items() if name.lower() not in dropped}


def first_cookies(cookies: Mapping[str, str], url: str) -> tuple[str, ...]:
    """Return cookies for the host of the URL only, in libcurl's format."""
    if not cookies:
        return ()
    scheme, host, _ = origin(url)
    secure = "TRUE" if scheme == "https" else "FALSE"
    lines = (f"{host}\tFALSE\t/\t{secure}\t0\t{name}\t{value}" for name, value in cookies.items())
    return tuple(line for line in lines if line.count("\t") == 6 and "\n" not in line)


def redirect_cookies(
    lines: Iterable[str], cookies: Mapping[str, str], first: str, url: str
) -> tuple[str, ...]:
    """Return the cookies for a redirect's target, in libcurl's format.

    libcurl does not distinguish ports, so the cookies of the job are removed for other servers.
    """
    if may_have_secrets(first, url):
        return tuple(lines)
    host = origin(first)[1]
    return tuple(line for line in lines if not _is_one_of(line, cookies, host))


def _is_one_of(line: str, cookies: Mapping[str, str], host: str) -> bool:
    fields = line.removeprefix("#HttpOnly_").split("\t")
    return len(fields) >= 6 and fields[0].lstrip(".") == host and fields[5] in cookies
