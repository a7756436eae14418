"""The preferences of qBittorrent that correspond to settings."""

from typing import Any

from quartet.downloads.options.types import Options
from quartet.kernel.errors import AppError

KIB = 1024


def preferences_of(options: Options, done: str, tmp: str) -> dict[str, Any]:
    """Return the settings, and fixed values for everything that only torrents have."""
    return {
        "add_stopped_enabled": False,
        "alt_dl_limit": 0,
        "alt_up_limit": 0,
        "auto_delete_mode": 0,
        "auto_tmm_enabled": False,
        "category_changed_tmm_enabled": False,
        "create_subfolder_enabled": True,
        "dht": options.torrent_dht,
        "dl_limit": options.speed_limit_kib * KIB,
        "encryption": 0,
        "export_dir": "",
        "listen_port": 0,
        "locale": "en",
        "lsd": False,
        "max_active_downloads": options.max_parallel,
        "max_active_torrents": options.max_parallel,
        "max_active_uploads": 0,
        "max_connec": options.max_parallel * options.connections_per_file,
        "max_connec_per_torrent": options.connections_per_file,
        "max_inactive_seeding_time": -1,
        "max_inactive_seeding_time_enabled": False,
        "max_ratio": -1,
        "max_ratio_act": 0,
        "max_ratio_enabled": False,
        "max_seeding_time": -1,
        "max_seeding_time_enabled": False,
        "pex": True,
        "preallocate_all": False,
        "queueing_enabled": True,
        "refresh_interval": 1500,
        "rss_auto_downloading_enabled": False,
        "rss_processing_enabled": False,
        "save_path": done,
        "scheduler_enabled": bool(options.schedule),
        "start_paused_enabled": False,
        "temp_path": tmp,
        "temp_path_enabled": True,
        "torrent_content_layout": "Subfolder",
        "up_limit": options.upload_limit_kib * KIB,
        "upnp": False,
        "use_https": False,
        "web_ui_csrf_protection_enabled": True,
        "web_ui_host_header_validation_enabled": True,
    }


def changed_settings(given: dict[str, Any], done: str) -> dict[str, Any]:
    """Return the settings that preferences stand for; those without a counterpart are ignored."""
    values: dict[str, Any] = {}
    for name, value in given.items():
        match name:
            case "dl_limit":
                values["speed_limit_kib"] = -(-_number(name, value) // KIB)
            case "up_limit":
                values["upload_limit_kib"] = -(-_number(name, value) // KIB)
            case "dht":
                values["torrent_dht"] = bool(value)
            case "max_active_downloads":
                values["max_parallel"] = _number(name, value)
            case "max_connec_per_torrent":
                values["connections_per_file"] = _number(name, value)
            case "save_path" if str(value).rstrip("/") != done.rstrip("/"):
                # The folder is a setting of the server.
                raise AppError(409, "invalid_request", field=name)
    return values


def _number(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise AppError(400, "invalid_request", field=name)
    return max(0, min(value, 2**42))
