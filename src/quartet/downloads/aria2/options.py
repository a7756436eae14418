"""Maps options of aria2 to settings of downloads."""

import base64
import math
import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from quartet.downloads.aria2.types import Options, RpcError
from quartet.downloads.bittorrent.trackers import tracker_addresses
from quartet.downloads.options.types import Options as Settings
from quartet.downloads.request_headers import RequestHeaders, is_forbidden, request_headers
from quartet.kernel.files import safe_name

KIB = 1024
_SIZE = re.compile(r"(\d{1,15})([kKmM]?)")
_UNITS = {"": 1, "k": KIB, "m": KIB * KIB}
_HASHES = {"md5": "md5", "sha-1": "sha1", "sha-256": "sha256"}
HASH_NAMES = {name: option for option, name in _HASHES.items()}
# Defaults that clients expect to find.
DEFAULTS: Options = {
    "allow-overwrite": "false",
    "auto-file-renaming": "true",
    "check-integrity": "false",
    "continue": "true",
    "file-allocation": "falloc",
    "max-download-limit": "0",
    "max-upload-limit": "0",
    "min-split-size": "4194304",
    "pause": "false",
}
# Given once, when a download is added.
_NOT_STORED = ("gid", "position")
_SECRET_OPTIONS = ("header", "load-cookies", "http-user", "http-passwd")
# Stored as request headers and never returned.
_REQUEST_OPTIONS = ("referer", "user-agent", *_SECRET_OPTIONS)


def text_options(given: object) -> Options:
    """Return options as clients get them back: all values are text, except lists."""
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise RpcError("options must be a struct")
    return {
        str(name): [str(each) for each in value] if isinstance(value, list) else _text(value)
        for name, value in given.items()
        if name not in _NOT_STORED
    }


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def speed_kib(value: object) -> int:
    """Return a speed limit in KiB/s; aria2 counts bytes and accepts K and M."""
    found = _SIZE.fullmatch(str(value).strip())
    if not found:
        raise RpcError(f"Invalid speed limit {value}")
    size = int(found[1]) * _UNITS[found[2].lower()]
    return -(-size // KIB)


def number(name: str, value: object) -> int:
    text = str(value).strip()
    if not text.isdecimal() or len(text) > 9:
        raise RpcError(f"{name} must be a number")
    return int(text)


def file_numbers(value: object) -> set[int]:
    """Return the numbers in a list such as 1,3-5."""
    found: set[int] = set()
    for part in str(value).replace(" ", "").split(","):
        first, _, last = part.partition("-")
        start = number("select-file", first)
        found.update(range(start, min(number("select-file", last or first), start + 100_000) + 1))
    return found


def target_dir(done: Path, value: object) -> str:
    """Return a folder of a client relative to the done folder."""
    path = PurePosixPath(str(value))
    root = PurePosixPath(done.absolute().as_posix())
    if not path.is_absolute():
        path = root / path
    if ".." in path.parts or not path.is_relative_to(root):
        raise RpcError(f"dir must be inside of {root}")
    return "/".join(safe_name(part) for part in path.relative_to(root).parts)


def checksum(value: object) -> dict[str, Any]:
    kind, _, digest = str(value).partition("=")
    known = _HASHES.get(kind.strip().lower())
    if not known or not re.fullmatch(r"[0-9a-fA-F]+", digest.strip()):
        raise RpcError(f"Invalid checksum {value}")
    return {"hash_type": known, "hash_value": digest.strip().lower()}


def download_values(options: Options) -> dict[str, Any]:
    """Return the columns of a download that options stand for."""
    values: dict[str, Any] = {}
    if "max-download-limit" in options:
        values["speed_limit_kib"] = speed_kib(options["max-download-limit"])
    if options.get("checksum"):
        values |= checksum(options["checksum"])
    if options.get("out"):
        name = str(options["out"]).replace("\\", "/").rpartition("/")[2]
        values |= {"name": safe_name(name), "name_fixed": True}
    return values


def share_limits(options: Options) -> dict[str, int]:
    """Return how long and how fast a torrent is seeded; 0 means a ratio without limit."""
    limits: dict[str, int] = {}
    if options.get("seed-ratio"):
        ratio = round(_decimal("seed-ratio", options["seed-ratio"]) * 100)
        limits["ratio_limit_percent"] = ratio or -1
    if options.get("seed-time"):
        limits["seed_limit_minutes"] = math.ceil(_decimal("seed-time", options["seed-time"]))
    if options.get("max-upload-limit"):
        limits["upload_limit_kib"] = speed_kib(options["max-upload-limit"])
    return limits


def trackers(options: Options, known: Sequence[str]) -> list[str]:
    """Return the trackers of a torrent with those that the options add, and without others."""
    excluded = _listed(options, "bt-exclude-tracker")
    kept = [] if "*" in excluded else [each for each in known if each not in excluded]
    return tracker_addresses([*kept, *_listed(options, "bt-tracker")])


def _listed(options: Options, name: str) -> list[str]:
    return [each.strip() for each in str(options.get(name) or "").split(",") if each.strip()]


def _decimal(name: str, value: object) -> float:
    if not re.fullmatch(r"\d{1,7}(\.\d{0,9})?", str(value).strip()):
        raise RpcError(f"{name} must be a number")
    return float(str(value))


def stored_options(options: Options) -> Options:
    """Return the options of a download without those that are stored as request headers."""
    return {name: value for name, value in options.items() if name not in _REQUEST_OPTIONS}


def shown_options(options: Options) -> Options:
    """Return global options without secrets."""
    return {name: value for name, value in options.items() if name not in _SECRET_OPTIONS}


def request_options(options: Options) -> Options:
    """Return the global options that apply to each new download."""
    return {name: value for name, value in options.items() if name in _REQUEST_OPTIONS}


def headers_in(options: Options, page: str = "") -> RequestHeaders:
    """Return the headers and cookies that a client set for a download.

    `page` is the link; aria2 uses it as Referer if the option is an asterisk.
    """
    if options.get("load-cookies"):
        # The file is on the computer of the server, which clients must not read.
        raise RpcError("load-cookies is not supported. Send cookies in a header.")
    given = options.get("header") or []
    lines = given if isinstance(given, list) else str(given).split("\n")
    pairs = [line.partition(":") for line in lines]
    headers = {
        name.strip(): value.strip()
        for name, colon, value in pairs
        # Extensions send all headers of a browser's request.
        if colon and name.strip() and not is_forbidden(name)
    }
    names = {name.lower() for name in headers}
    if options.get("http-user") and "authorization" not in names:
        login = f"{options['http-user']}:{options.get('http-passwd', '')}"
        headers["Authorization"] = f"Basic {base64.b64encode(login.encode()).decode()}"
    referer = str(options.get("referer") or "")
    return request_headers(
        headers,
        referer=None if "referer" in names else page if referer == "*" else referer,
        user_agent=None if "user-agent" in names else str(options.get("user-agent") or ""),
    )


def global_options(settings: Settings, done: Path) -> Options:
    """Return the settings that correspond to global options of aria2."""
    connections = str(settings.connections_per_file)
    return {
        "dir": str(done.absolute()),
        "max-concurrent-downloads": str(settings.max_parallel),
        "max-connection-per-server": connections,
        "split": connections,
        "max-overall-download-limit": str(settings.speed_limit_kib * KIB),
        "max-overall-upload-limit": str(settings.upload_limit_kib * KIB),
        "max-tries": str(settings.max_retries),
    }


def changed_settings(options: Options) -> dict[str, Any]:
    """Return the settings that global options stand for."""
    values: dict[str, Any] = {}
    for name, value in options.items():
        match name:
            case "max-concurrent-downloads":
                values["max_parallel"] = number(name, value)
            case "max-overall-download-limit":
                values["speed_limit_kib"] = speed_kib(value)
            case "max-overall-upload-limit":
                values["upload_limit_kib"] = speed_kib(value)
            case "split" | "max-connection-per-server":
                values["connections_per_file"] = number(name, value)
            case "max-tries":
                values["max_retries"] = number(name, value)
    return values
