"""Runs yt-dlp in a separate process, because it uses much memory and must be killable.

The first input line is the request; later lines change the speed limit. The end of the input means
that the server is gone. The output is JSON lines, of which the last one is the result.
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
    request = json.loads(sys.stdin.readline())
    # Pages may contain any address, so the private network is blocked.
    proxy = urlsplit(request.get("proxy") or "").hostname
    AddressPolicy([*request.get("trusted", []), *([proxy] if proxy else [])]).guard_process()
    work = {"list": _list_videos, "find": _find, "fetch": _fetch}[request["do"]]
    try:
        send({"result": work(request)})
    except DownloadError as error:
        send({"error": _problem(error)})
    except OSError as error:
        send({"error": {"kind": "disk", "number": error.errno, "text": str(error)}})
    # Threads of the downloaders may still be blocked.
    sys.stdout.flush()
    os._exit(0)


def send(news: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(news) + "\n")
    sys.stdout.flush()


def _options(request: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "quiet": True,
        "no_warnings": True,
        "noprogress": True,
        "logger": _SilentLogger(),
        "cachedir": False,
        "noplaylist": True,
        "socket_timeout": 30,
        "retries": 3,
        "fragment_retries": 10,
        "format": _format(request["quality"]),
        # Only for configured hosts, because the generic extractor accepts any page.
        "force_generic_extractor": urlsplit(request["url"]).hostname in request.get("trusted", []),
        "proxy": request.get("proxy") or "",
        **({"playlist_items": str(request["item"])} if request.get("item") else {}),
        **more,
    }


class _SilentLogger:
    def debug(self, text: str) -> None: ...
    def warning(self, text: str) -> None: ...
    def error(self, text: str) -> None: ...


def _format(quality: str) -> str:
    """Return the best format up to a height; without ffmpeg, video and audio in one file."""
    if quality == "audio":
        return "ba/b"
    limit = f"[height<=?{quality}]" if quality.isdecimal() else ""
    whole = f"b{limit}/b"
    return f"bv*{limit}+ba/{whole}" if _MERGER else whole


def _list_videos(request: dict[str, Any]) -> dict[str, Any]:
    """List the videos of a page."""
    with YoutubeDL(_options(request, extract_flat="in_playlist")) as program:
        info = program.extract_info(request["url"], download=False, process=True)
        if info.get("_type", "video") != "playlist":
            return {"title": None, "entries": [_entry(info, request["url"], None)]}
        return {"title": info.get("title"), "entries": _entries(program, info, request["url"])}


def _entries(program: YoutubeDL, info: dict[str, Any], page: str) -> list[dict[str, Any]]:
    """Return the entries, including those of nested lists such as the tabs of a channel."""
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
    """Return an entry; one without its own page is identified by its number on this page."""
    own = entry.get("url") if entry.get("_type") == "url" else entry.get("webpage_url")
    alone = own and own != page
    title = entry.get("title") or entry.get("id") or ""
    return {"url": own if alone else page, "item": None if alone else number, "title": title}


def _find(request: dict[str, Any]) -> dict[str, Any]:
    """Return the file's address, and whether a plain download is possible."""
    with YoutubeDL(_options(request)) as program:
        info = _single(program.extract_info(request["url"], download=False))
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
    """Some sites throttle requests without small ranges, which yt-dlp handles."""
    return (
        not info.get("requested_formats")
        and info.get("protocol") in ("http", "https")
        and not info.get("fragments")
        and not info.get("is_live")
        and not (info.get("downloader_options") or {}).get("http_chunk_size")
    )


def _fetch(request: dict[str, Any]) -> dict[str, Any]:
    folder = Path(request["folder"])
    done: dict[str, int] = {}

    def hook(news: dict[str, Any]) -> None:
        done[news.get("filename") or ""] = news.get("downloaded_bytes") or 0
        size = news.get("total_bytes") or news.get("total_bytes_estimate")
        send({"done": sum(done.values()), "size": int(size) if size and len(done) == 1 else None})

    options = _options(
        request,
        outtmpl=str(folder / "media.%(ext)s"),
        progress_hooks=[hook],
        fixup="detect_or_warn" if _MERGER else "never",
        ratelimit=request.get("limit") or None,
        hls_prefer_native=True,
        external_downloader={"default": "native"},
        noprogress=True,
    )
    with YoutubeDL(options) as program:
        _follow_limit(program.params)
        info = _single(program.extract_info(request["url"], download=True))
        return {"file": info["requested_downloads"][0]["filepath"]}


def _follow_limit(params: dict[str, Any]) -> None:
    """Apply limit changes from the input; yt-dlp re-reads its limit continuously."""

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
