"""Peers and trackers of a torrent as they are shown, in the torrent process."""

from collections.abc import Mapping
from typing import Any

import libtorrent as lt

from quartet.downloads.bittorrent.types import Peer, Tracker


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
    worked = any(each["start_sent"] for each in known) or entry["verified"]
    errors = [each["message"] or each["last_error"]["value"] for each in known if each["fails"]]
    seeds = max((each["scrape_complete"] for each in known), default=-1)
    peers = max((each["scrape_incomplete"] for each in known), default=-1)
    return Tracker(
        entry["url"],
        "working" if worked else "failed" if errors else "waiting",
        "" if worked else str(next(iter(errors), "")),
        seeds if seeds >= 0 else None,
        peers if peers >= 0 else None,
    )
