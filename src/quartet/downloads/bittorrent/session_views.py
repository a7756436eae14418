"""Peers and trackers of a torrent as they are shown, in the torrent process."""

import errno
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import libtorrent as lt

from quartet.downloads.bittorrent.types import Peer, Tracker
from quartet.kernel.errors import Problem

_CATEGORIES: Mapping[str, Any] = {
    each().name(): each
    for each in (lt.system_category, lt.libtorrent_category, lt.socks_category, lt.bdecode_category)
}
# The numbers of libtorrent are part of its interface; its Python module has no names for them.
_REASONS = {
    ("system", errno.ECONNREFUSED): "connect",
    ("system", errno.ETIMEDOUT): "timeout",
    ("libtorrent", 36): "timeout",
    ("libtorrent", 51): "timeout",
    ("libtorrent", 112): "certificate",
}
_REASONS_OF_CATEGORIES = {"asio.netdb": "dns", "asio.ssl": "certificate", "socks": "proxy"}
_UNREACHABLE = (
    ("system", errno.EHOSTUNREACH),
    ("system", errno.ENETUNREACH),
    ("libtorrent", 180),
)
# By the filter of addresses, and because it redirects to a private network.
_BLOCKED = (("libtorrent", 89), ("libtorrent", 201))


def is_connected(peer: lt.peer_info) -> bool:
    """Return False for a peer that has not answered yet, and may never do."""
    return not peer.flags & (lt.peer_info.connecting | lt.peer_info.handshake)


def peer_of(peer: lt.peer_info) -> Peer:
    host, port = peer.ip
    return Peer(
        f"[{host}]:{port}" if ":" in host else f"{host}:{port}",
        peer.client.decode("utf-8", "replace"),
        peer.payload_down_speed,
        peer.payload_up_speed,
        peer.progress,
    )


def tracker_of(entry: Mapping[str, Any]) -> Tracker:
    known = [each for end in entry["endpoints"] for each in end["info_hashes"]]
    # A tracker that has answered once may have failed since.
    works = any(each["start_sent"] and not each["fails"] for each in known)
    failed = next((each for each in known if each["fails"] and not works), None)
    seeds = max((each["scrape_complete"] for each in known), default=-1)
    peers = max((each["scrape_incomplete"] for each in known), default=-1)
    return Tracker(
        entry["url"],
        "working" if works else "failed" if failed else "waiting",
        _error_text(failed) if failed else "",
        _problem(failed, entry["url"]) if failed else None,
        seeds if seeds >= 0 else None,
        peers if peers >= 0 else None,
    )


def _problem(endpoint: Mapping[str, Any], url: str) -> Problem | None:
    """Return the error as one that is shown in the language of the user, or None."""
    if endpoint["message"]:
        return Problem("tracker_says", {"text": str(endpoint["message"])})
    value, category = endpoint["last_error"]["value"], endpoint["last_error"]["category"]
    error = (category, value)
    if category == "http":
        return Problem("server_error", {"status": value})
    if reason := _REASONS.get(error) or _REASONS_OF_CATEGORIES.get(category):
        return Problem("network_error", {"reason": reason})
    host = urlsplit(url).netloc
    if error in _UNREACHABLE:
        return Problem("unreachable", {"address": host})
    return Problem("tracker_blocked", {"address": host}) if error in _BLOCKED else None


def _error_text(endpoint: Mapping[str, Any]) -> str:
    """Return what the tracker has said, or the text of the error, whose number says nothing."""
    if endpoint["message"]:
        return str(endpoint["message"])
    value, category = endpoint["last_error"]["value"], endpoint["last_error"]["category"]
    if category == "asio.netdb":
        return "Host not found"
    if category == "http":
        return f"HTTP {value}"
    if not (known := _CATEGORIES.get(category)):
        return f"{category} {value}"
    error = lt.error_code()
    error.assign(value, known())
    return error.message()
