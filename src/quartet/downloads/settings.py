import os
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from quartet.kernel.addresses import TrustedProxies
from quartet.kernel.settings import ServiceSettings, Settings, SettingsError, described


class DownloadsSettings(Settings, frozen=True, kw_only=True):
    port: Annotated[int, described("Port to listen on.")] = 8080
    data: Annotated[Path, described("Folder of the database, keys and backups.")] = Path(
        "data/downloads"
    )
    tmp_dir: Annotated[
        Path | None, described("Folder of unfinished files; `tmp` in the data folder when empty.")
    ] = None
    done_dir: Annotated[
        Path | None, described("Folder of finished files; `done` in the data folder when empty.")
    ] = None
    watch_dir: Annotated[
        Path | None,
        described("Folder watched for container files; `watch` in the data folder when empty."),
    ] = None
    cnl_host: Annotated[str, described("Address on which Click'n'Load listens.")] = "127.0.0.1"
    cnl_port: Annotated[
        int, Meta(ge=0, le=65535), described("Port of Click'n'Load, which pages expect; 0 is off.")
    ] = 9666
    cnl_clients: Annotated[
        tuple[str, ...],
        described("Addresses or networks besides this machine that may use Click'n'Load."),
    ] = ()
    aria2_port: Annotated[
        int,
        Meta(ge=0, le=65535),
        described("Additional port for aria2 clients, which expect 6800; 0 is off."),
    ] = 0
    script: Annotated[Path | None, described("Program that is run for each finished package.")] = (
        None
    )
    sftp_key: Annotated[
        Path | None,
        described("File with the private key for SFTP servers, for addresses without a password."),
    ] = None
    torrent_port: Annotated[
        int,
        Meta(ge=0, le=65535),
        described("Port on which peers of torrents connect; 0 is any free port."),
    ] = 6881
    torrent_block_list: Annotated[
        Path | None,
        described("File with address ranges that torrents never connect to (eMule or P2P format)."),
    ] = None
    torrent_block_list_url: Annotated[
        str, described("Address of such a file, which is downloaded daily, instead of a local one.")
    ] = ""
    dlc_service: Annotated[
        str, described("Address of a key service for DLC files, with {data} for the key.")
    ] = ""
    dlc_app_key: Annotated[
        str | None,
        described("Key the DLC service gave out, as 32 hexadecimal digits.", secret=True),
    ] = None
    dlc_app_vector: Annotated[
        str | None, described("Vector that belongs to the DLC key.", secret=True)
    ] = None

    @property
    def watch_folder(self) -> Path:
        return self.watch_dir or self.data / "watch"

    @property
    def tmp_folder(self) -> Path:
        return self.tmp_dir or self.data / "tmp"

    @property
    def done_folder(self) -> Path:
        return self.done_dir or self.data / "done"

    @property
    def known_hosts(self) -> Path:
        """The keys of SFTP servers, in the folder that only the server can read."""
        return self.data / "keys" / "known_hosts"

    @property
    def block_list(self) -> Path | None:
        """The file with the addresses that torrents never connect to."""
        if self.torrent_block_list_url:
            return self.data / "block-list"
        return self.torrent_block_list

    @property
    def plugin_folder(self) -> Path:
        return self.data / "plugins"


def prepare(settings: DownloadsSettings) -> DownloadsSettings:
    try:
        TrustedProxies.parse(settings.cnl_clients)
    except ValueError as error:
        raise SettingsError(f"DOWNLOADS_CNL_CLIENTS: {error}") from error
    script = settings.script
    if script and not (script.is_file() and os.access(script, os.X_OK)):
        raise SettingsError(f"DOWNLOADS_SCRIPT: {script} is not an executable file")
    url = settings.torrent_block_list_url
    if url and not url.lower().startswith(("http://", "https://")):
        raise SettingsError("DOWNLOADS_TORRENT_BLOCK_LIST_URL must start with http:// or https://")
    if url and settings.torrent_block_list:
        names = "DOWNLOADS_TORRENT_BLOCK_LIST and DOWNLOADS_TORRENT_BLOCK_LIST_URL"
        raise SettingsError(f"only one of {names} can be set")
    return settings


SERVICE_SETTINGS = ServiceSettings("DOWNLOADS_", DownloadsSettings, prepare)
