from typing import Annotated

import msgspec

Clock = Annotated[str, msgspec.Meta(pattern=r"^([01]\d|2[0-3]):[0-5]\d$", description="HH:MM")]
Weekday = Annotated[int, msgspec.Meta(ge=1, le=7, description="1 Monday … 7 Sunday")]


class Window(msgspec.Struct, frozen=True, rename="camel"):
    """A time of day with its own speed limit, or without downloads.

    If windows overlap, the first one applies.
    """

    start: Clock = msgspec.field(name="from")
    # If not later than `from`, it means the next day.
    end: Clock = msgspec.field(name="to")
    # Empty means every day; a window past midnight belongs to the day on which it starts.
    days: list[Weekday] = []
    limit_kib: int = 0
    # No downloads at this time; the limit does not matter then.
    pause: bool = False


class Options(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The settings of the UI. Numbers out of range are set to the nearest valid value."""

    max_parallel: int = 3
    # 0 means no limit per host.
    per_host: int = 0
    connections_per_file: int = 4
    speed_limit_kib: int = 0
    schedule: list[Window] = []
    max_retries: int = 5
    # How long finished downloads stay in the history; 0 turns it off.
    history_days: int = 730
    proxy: str | None = None
    auto_extract: bool = True
    # Archives inside archives, each into its own folder.
    extract_nested: bool = False
    delete_archives: bool = False
    remove_archive_downloads: bool = False
    ask_archive_password: bool = True
    verify_checksums: bool = True
    # KiB/s; 0 is no limit. Only torrents upload.
    upload_limit_kib: int = 0
    # Seed finished torrents until this percentage of their size is uploaded, or for this many
    # minutes. 0 turns a limit off; if both are 0, nothing is seeded.
    seed_ratio_percent: int = 0
    seed_minutes: int = 0
    # Finds peers without a tracker; never used for private torrents.
    torrent_dht: bool = True
    # Show the icons of hosts, which are fetched from their web servers.
    host_icons: bool = True


class ShownOptions(Options, frozen=True, rename="camel", kw_only=True):
    tmp_dir: str
    done_dir: str
    # The Click'n'Load port; 0 if it is off.
    cnl_port: int
    api_token_set: bool
    # The schedule follows the clock of the server, which may be in another time zone.
    utc_offset_minutes: int
    # Whether a key service for DLC files is configured.
    dlc: bool
    version: str


class ArchivePasswords(msgspec.Struct, frozen=True):
    passwords: list[str]
