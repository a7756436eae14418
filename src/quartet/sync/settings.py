from pathlib import Path
from typing import Annotated

from msgspec import Meta

from quartet.kernel.settings import Settings, SettingsError, described


class SyncSettings(Settings, frozen=True, kw_only=True):
    port: Annotated[int, described("Port to listen on.")] = 8090
    data: Annotated[Path, described("Folder of the database, keys and hub folders.")] = Path(
        "data/sync"
    )
    hub: Annotated[
        bool, described("Run a Syncthing here as the hub, once there is a device or a folder.")
    ] = True
    hub_name: Annotated[
        str,
        Meta(pattern="^[a-z0-9-]{0,40}$"),
        described(
            "Name of a further hub to run here instead of the main one, such as berlin; "
            "needs DATABASE_URL and SYNC_HUB_ADDRESS."
        ),
    ] = ""
    hub_data: Annotated[
        Path | None,
        described(
            "Folder of the hub's keys, files and versions; the data folder when empty. "
            "Servers that share a database share it, so that any of them can go on with the hub."
        ),
    ] = None
    hub_listen: Annotated[
        str | None,
        described("Address and port of the hub; port 22001 on the server's address when empty."),
    ] = None
    hub_address: Annotated[
        str | None,
        described(
            "Where devices dial the hub, such as sync.example.org:22001; "
            "when empty, the host at which they found the server."
        ),
    ] = None
    guard_percent: Annotated[
        int,
        Meta(ge=0, le=100),
        described(
            "Hold a device that deletes more than this share of a folder within a minute; "
            "0 never does."
        ),
    ] = 50
    guard_files: Annotated[
        int, Meta(ge=0), described("Fewer deleted files than this never hold a device.")
    ] = 50
    lan_pairing: Annotated[
        bool, described("Announce the server on the LAN and let devices ask without a code.")
    ] = True


def prepare(settings: SyncSettings) -> SyncSettings:
    """Devices and the main hub must find a further one, whichever server they have asked."""
    if settings.hub_name and not (settings.database_url and settings.hub_address):
        raise SettingsError("SYNC_HUB_NAME needs DATABASE_URL and SYNC_HUB_ADDRESS")
    return settings
