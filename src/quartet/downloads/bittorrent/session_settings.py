"""The settings of libtorrent, in the torrent process."""

from typing import Any
from urllib.parse import urlsplit

import libtorrent as lt

from quartet.downloads.bittorrent.types import SessionSettings

_CATEGORIES = (
    lt.alert.category_t.error_notification
    | lt.alert.category_t.status_notification
    | lt.alert.category_t.storage_notification
)


def fixed_settings() -> dict[str, Any]:
    return {
        "alert_mask": _CATEGORIES,
        # Nothing listens before the settings of the service are known.
        "listen_interfaces": "",
        "enable_dht": False,
        # These would talk to every device in the local network or open ports of the router.
        "enable_lsd": False,
        "enable_upnp": False,
        "enable_natpmp": False,
        "webtorrent_stun_server": "",
        # A server that redirects to the local network is refused.
        "ssrf_mitigation": True,
        "apply_ip_filter_to_trackers": True,
        "apply_filter_to_dht": True,
        "validate_https_trackers": True,
        "announce_to_all_tiers": True,
        "user_agent": "quartet",
        "no_atime_storage": True,
        # Files may be selected later, so a peer that has nothing of interest now is kept.
        "close_redundant_connections": False,
    }


_PROXIES = {
    "http": lt.proxy_type_t.http,
    "https": lt.proxy_type_t.http,
    "socks4": lt.proxy_type_t.socks4,
    "socks4a": lt.proxy_type_t.socks4,
    "socks5": lt.proxy_type_t.socks5,
    "socks5h": lt.proxy_type_t.socks5,
}
_WITH_PASSWORD = {
    lt.proxy_type_t.http: lt.proxy_type_t.http_pw,
    lt.proxy_type_t.socks5: lt.proxy_type_t.socks5_pw,
}


def changeable_settings(settings: SessionSettings) -> dict[str, Any]:
    proxy = urlsplit(settings.proxy or "")
    kind = _PROXIES.get(proxy.scheme, lt.proxy_type_t.none)
    # Only SOCKS 5 carries UDP; without it, DHT and uTP would bypass the proxy.
    udp = kind in (lt.proxy_type_t.none, lt.proxy_type_t.socks5)
    if proxy.username is not None:
        kind = _WITH_PASSWORD.get(kind, kind)
    # With a proxy, peers cannot connect from outside, so no port is opened.
    listens = kind == lt.proxy_type_t.none
    interfaces = f"0.0.0.0:{settings.port},[::]:{settings.port}" if listens else ""
    return {
        "download_rate_limit": settings.download_limit,
        "upload_rate_limit": settings.upload_limit,
        "listen_interfaces": interfaces,
        "enable_dht": settings.dht and udp,
        # A peer without uTP would cost seconds before TCP is tried, and TCP needs less CPU time.
        "enable_outgoing_utp": False,
        "enable_incoming_utp": udp,
        "proxy_type": int(kind),
        "proxy_hostname": proxy.hostname or "",
        "proxy_port": proxy.port or 0,
        "proxy_username": proxy.username or "",
        "proxy_password": proxy.password or "",
        "proxy_hostnames": True,
        "proxy_peer_connections": True,
        "proxy_tracker_connections": True,
    }
