from pathlib import Path
from typing import Annotated

from msgspec import Meta

from quartet.kernel.settings import Settings, SettingsError, described


class SyncSettings(Settings, frozen=True, kw_only=True):
    port: Annotated[int, described("Port to listen on.")] = 8090
    data: Annotated[Path, described("Folder for the database, keys and hub folders.")] = Path(
        "data/sync"
    )
    hub: Annotated[
        bool, described("Run Syncthing here as the hub once there is a device or a folder.")
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
            "Folder for the hub's keys, files and versions; defaults to the data folder. "
            "Servers on the same database share it, so that any of them can take over the hub."
        ),
    ] = None
    hub_listen: Annotated[
        str | None,
        described("Listen address of the hub; defaults to port 22001 on the server's address."),
    ] = None
    hub_address: Annotated[
        str | None,
        described(
            "Address at which devices reach the hub, such as sync.example.org:22001; "
            "by default they use the host name of the server."
        ),
    ] = None
    guard_percent: Annotated[
        int,
        Meta(ge=0, le=100),
        described(
            "Hold a device that deletes more than this percentage of a folder within a minute; "
            "0 disables the guard."
        ),
    ] = 50
    guard_files: Annotated[
        int, Meta(ge=0), described("Never hold a device for fewer deleted files than this.")
    ] = 50
    lan_pairing: Annotated[
        bool,
        described("Announce the server on the LAN and let devices ask to join without a code."),
    ] = True


def prepare(settings: SyncSettings) -> SyncSettings:
    """Reject a further hub that devices and the main hub could not reach."""
    if settings.hub_name and not (settings.database_url and settings.hub_address):
        raise SettingsError("SYNC_HUB_NAME needs DATABASE_URL and SYNC_HUB_ADDRESS")
    return settings
