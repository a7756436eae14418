"""Peers and trackers of a torrent as they are shown, in the torrent process."""

from collections.abc import Mapping
from typing import Any

import libtorrent as lt

from quartet.downloads.bittorrent.types import Peer, Tracker

_CATEGORIES: Mapping[str, Any] = {
    each().name(): each
    for each in (lt.system_category, lt.libtorrent_category, lt.socks_category, lt.bdecode_category)
}


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
    errors = [_tracker_error(each) for each in known if each["fails"]]
    seeds = max((each["scrape_complete"] for each in known), default=-1)
    peers = max((each["scrape_incomplete"] for each in known), default=-1)
    return Tracker(
        entry["url"],
        "working" if works else "failed" if errors else "waiting",
        "" if works else next(iter(errors), ""),
        seeds if seeds >= 0 else None,
        peers if peers >= 0 else None,
    )


def _tracker_error(endpoint: Mapping[str, Any]) -> str:
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
