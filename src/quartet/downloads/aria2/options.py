"""Maps options of aria2 to settings of downloads."""

import re
from pathlib import Path, PurePosixPath
from typing import Any

from quartet.downloads.aria2.types import Options, RpcError
from quartet.downloads.options.types import Options as Settings
from quartet.kernel.files import safe_name

KIB = 1024
_SIZE = re.compile(r"(\d{1,15})([kKmM]?)")
_UNITS = {"": 1, "k": KIB, "m": KIB * KIB}
_HASHES = {"md5": "md5", "sha-1": "sha1", "sha-256": "sha256"}
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


def request_headers(options: Options) -> dict[str, str]:
    """Return the request headers that a client set for a download."""
    given = options.get("header", [])
    lines = given if isinstance(given, list) else str(given).split("\n")
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if colon and name.strip():
            headers[name.strip()] = value.strip()
    if referer := options.get("referer"):
        headers.setdefault("Referer", str(referer))
    if agent := options.get("user-agent"):
        headers.setdefault("User-Agent", str(agent))
    return {name: value for name, value in headers.items() if value.isprintable()}


def global_options(settings: Settings, done: Path) -> Options:
    """Return the settings that correspond to global options of aria2."""
    connections = str(settings.connections_per_file)
    return {
        "dir": str(done.absolute()),
        "max-concurrent-downloads": str(settings.max_parallel),
        "max-connection-per-server": connections,
        "split": connections,
        "max-overall-download-limit": str(settings.speed_limit_kib * KIB),
        "max-overall-upload-limit": "0",
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
            case "split" | "max-connection-per-server":
                values["connections_per_file"] = number(name, value)
            case "max-tries":
                values["max_retries"] = number(name, value)
    return values
