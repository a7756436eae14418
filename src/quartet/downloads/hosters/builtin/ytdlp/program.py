"""Runs yt-dlp, apart from the server: what it loads and does is large, and can be ended.

The first line of its input says what to do, later ones change the speed limit; when its input ends
the server is gone, and so is this. It answers with lines of JSON, of which the last is the result.
"""

import json
import os
import shutil
import sys
import threading
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from yt_dlp import YoutubeDL  # type: ignore[import-untyped]
from yt_dlp.networking.exceptions import HTTPError, TransportError  # type: ignore[import-untyped]
from yt_dlp.utils import DownloadError, ExtractorError, UnsupportedError  # type: ignore[import-untyped]

from quartet.kernel.address_policy import AddressPolicy

MOST_ENTRIES = 5000
MOST_LISTS = 20
_MERGER = bool(shutil.which("ffmpeg"))


def main() -> None:
    asked = json.loads(sys.stdin.readline())
    # Pages may name any address; those of the private network are not for them.
    proxy = urlsplit(asked.get("proxy") or "").hostname
    AddressPolicy([*asked.get("trusted", []), *([proxy] if proxy else [])]).guard_process()
    work = {"look": _look, "find": _find, "fetch": _fetch}[asked["do"]]
    try:
        tell({"result": work(asked)})
    except DownloadError as error:
        tell({"error": _problem(error)})
    except OSError as error:
        tell({"error": {"kind": "disk", "number": error.errno, "text": str(error)}})
    # Threads of its downloaders may still wait for something.
    sys.stdout.flush()
    os._exit(0)


def tell(news: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(news) + "\n")
    sys.stdout.flush()


def _options(asked: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "quiet": True,
        "no_warnings": True,
        "noprogress": True,
        "logger": _Silent(),
        "cachedir": False,
        "noplaylist": True,
        "socket_timeout": 30,
        "retries": 3,
        "fragment_retries": 10,
        "format": _format(asked["quality"]),
        # Only for hosts somebody has named: elsewhere it would take any page.
        "force_generic_extractor": urlsplit(asked["url"]).hostname in asked.get("trusted", []),
        "proxy": asked.get("proxy") or "",
        **({"playlist_items": str(asked["item"])} if asked.get("item") else {}),
        **more,
    }


class _Silent:
    def debug(self, text: str) -> None: ...
    def warning(self, text: str) -> None: ...
    def error(self, text: str) -> None: ...


def _format(quality: str) -> str:
    """The best up to a height; without a program that joins them, picture and sound in one."""
    if quality == "audio":
        return "ba/b"
    limit = f"[height<=?{quality}]" if quality.isdecimal() else ""
    whole = f"b{limit}/b"
    return f"bv*{limit}+ba/{whole}" if _MERGER else whole


def _look(asked: dict[str, Any]) -> dict[str, Any]:
    """What a page holds."""
    with YoutubeDL(_options(asked, extract_flat="in_playlist")) as program:
        info = program.extract_info(asked["url"], download=False, process=True)
        if info.get("_type", "video") != "playlist":
            return {"title": None, "entries": [_entry(info, asked["url"], None)]}
        return {"title": info.get("title"), "entries": _entries(program, info, asked["url"])}


def _entries(program: YoutubeDL, info: dict[str, Any], page: str) -> list[dict[str, Any]]:
    """With those of lists in the list, such as the tabs of a channel."""
    found: list[dict[str, Any]] = []
    lists = 0
    for number, entry in enumerate(info.get("entries") or [], start=1):
        if entry is None or len(found) >= MOST_ENTRIES:
            continue
        inner = str(entry.get("ie_key") or "").lower()
        if entry.get("_type") == "url" and inner.endswith(("tab", "playlist", "channel")):
            lists += 1
            if lists <= MOST_LISTS:
                deeper = program.extract_info(entry["url"], download=False)
                found += [_entry(each, entry["url"], None) for each in deeper.get("entries") or []]
        else:
            found.append(_entry(entry, page, number))
    return found[:MOST_ENTRIES]


def _entry(entry: dict[str, Any], page: str, number: int | None) -> dict[str, Any]:
    """What has no page of its own is known by its number on this one."""
    own = entry.get("url") if entry.get("_type") == "url" else entry.get("webpage_url")
    alone = own and own != page
    title = entry.get("title") or entry.get("id") or ""
    return {"url": own if alone else page, "item": None if alone else number, "title": title}


def _find(asked: dict[str, Any]) -> dict[str, Any]:
    """Where the bytes of one are, and whether a plain download will do."""
    with YoutubeDL(_options(asked)) as program:
        info = _single(program.extract_info(asked["url"], download=False))
        name = f"{info.get('title') or info.get('id')}.{info.get('ext') or 'bin'}"
        if not _is_plain(info):
            return {"name": name, "plain": False}
        headers = {**info.get("http_headers", {})}
        if cookies := program.cookiejar.get_cookie_header(info["url"]):
            headers["Cookie"] = cookies
        size = info.get("filesize")
        return {"name": name, "plain": True, "url": info["url"], "headers": headers, "size": size}


def _single(info: dict[str, Any]) -> dict[str, Any]:
    if info.get("_type", "video") != "playlist":
        return info
    entries = [entry for entry in info.get("entries") or [] if entry]
    if not entries:
        raise DownloadError("There is nothing on this page.")
    return _single(entries[0])


def _is_plain(info: dict[str, Any]) -> bool:
    """Some sites slow down who does not ask for small pieces: then yt-dlp knows how."""
    return (
        not info.get("requested_formats")
        and info.get("protocol") in ("http", "https")
        and not info.get("fragments")
        and not info.get("is_live")
        and not (info.get("downloader_options") or {}).get("http_chunk_size")
    )


def _fetch(asked: dict[str, Any]) -> dict[str, Any]:
    folder = Path(asked["folder"])
    done: dict[str, int] = {}

    def hook(news: dict[str, Any]) -> None:
        done[news.get("filename") or ""] = news.get("downloaded_bytes") or 0
        size = news.get("total_bytes") or news.get("total_bytes_estimate")
        tell({"done": sum(done.values()), "size": int(size) if size and len(done) == 1 else None})

    options = _options(
        asked,
        outtmpl=str(folder / "media.%(ext)s"),
        progress_hooks=[hook],
        fixup="detect_or_warn" if _MERGER else "never",
        ratelimit=asked.get("limit") or None,
        hls_prefer_native=True,
        external_downloader={"default": "native"},
        noprogress=True,
    )
    with YoutubeDL(options) as program:
        _follow_limit(program.params)
        info = _single(program.extract_info(asked["url"], download=True))
        return {"file": info["requested_downloads"][0]["filepath"]}


def _follow_limit(params: dict[str, Any]) -> None:
    """yt-dlp looks at the limit again and again."""

    def read() -> None:
        for line in sys.stdin:
            params["ratelimit"] = json.loads(line)["limit"] or None
        os._exit(1)

    threading.Thread(target=read, daemon=True).start()


def _problem(error: DownloadError) -> dict[str, Any]:
    cause = error.exc_info[1] if error.exc_info else None
    inner = getattr(cause, "cause", None) or cause
    text = str(getattr(cause, "orig_msg", None) or error).removeprefix("ERROR: ")
    status = inner.status if isinstance(inner, HTTPError) else None
    return {"kind": _kind(cause, inner, status, text.lower()), "text": text[:300]}


_GONE = ("unavailable", "removed", "no longer", "does not exist", "private video", "deleted")


def _kind(cause: object, inner: object, status: int | None, text: str) -> str:
    if status in (404, 410):
        return "offline"
    if status == 429:
        return "slower"
    if status is not None or isinstance(inner, TransportError):
        return "passing"
    if "requested format is not available" in text:
        return "format"
    if any(word in text for word in _GONE):
        return "offline"
    final = isinstance(cause, UnsupportedError) or (
        isinstance(cause, ExtractorError) and cause.expected
    )
    return "final" if final else "passing"


if __name__ == "__main__":
    main()
