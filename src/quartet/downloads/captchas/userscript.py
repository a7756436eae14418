"""Creates the userscript for the server it is fetched from."""

import json
import re
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from quartet import __version__
from quartet.kernel.errors import AppError

NAME = "app-captcha.user.js"
# A host name or address with an optional port. Nothing else may get into the script, or a
# manipulated Host header could inject code.
_HOST = re.compile(r"[A-Za-z0-9._-]+(:\d{1,5})?|\[[0-9A-Fa-f:.]+\](:\d{1,5})?")
_BASE_PATH = re.compile(r"(/[A-Za-z0-9._~-]+)*")


def userscript(server: str) -> str:
    name = urlsplit(server).hostname or ""
    return (
        _template()
        .replace("__VERSION__", __version__)
        .replace("__CONNECT__", name)
        .replace('"__SERVER__"', json.dumps(server))
    )


def server_address(scheme: str, host: str, base_path: str, public_url: str | None) -> str:
    """Return the public URL if it is set, otherwise the address of this request."""
    base_path = base_path.rstrip("/")
    if public_url:
        parts = urlsplit(public_url)
        scheme, host = parts.scheme, parts.netloc
        base_path = parts.path.rstrip("/") or base_path
    fits = _HOST.fullmatch(host) and _BASE_PATH.fullmatch(base_path)
    if scheme not in ("http", "https") or not fits:
        raise AppError(400, "bad_address", address=host)
    return f"{scheme}://{host}{base_path}"


@cache
def _template() -> str:
    return Path(__file__).with_name(NAME).read_text()
