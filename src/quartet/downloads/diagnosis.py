"""The checks of `quartet doctor` for downloads."""

from importlib.util import find_spec
from pathlib import Path

from quartet.downloads.bittorrent.address_filter import read_block_list
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.diagnosis import (
    DiagnosisLine,
    check_folder,
    check_port,
    check_program,
    runs_already,
)


async def findings(settings: DownloadsSettings) -> list[DiagnosisLine]:
    found = [
        check_folder("finished files", settings.done_folder),
        check_folder("unfinished", settings.tmp_folder),
    ]
    # A running service uses these ports itself. It also starts without them.
    if not runs_already(settings):
        ports = (
            ("Click'n'Load", settings.cnl_host, settings.cnl_port),
            ("aria2 port", settings.host, settings.aria2_port),
            ("torrent port", "0.0.0.0", settings.torrent_port),  # noqa: S104 - as libtorrent does
        )
        found += [check_port(*each, taken="warning") for each in ports if each[2]]
    if settings.block_list:
        found.append(_block_list(settings.block_list))
    found.append(check_program("ffmpeg", "videos with a separate sound track cannot be merged"))
    if find_spec("libtorrent"):
        return [*found, DiagnosisLine("libtorrent", "ok", "installed")]
    return [
        *found,
        DiagnosisLine("libtorrent", "warning", "not installed; torrents are unavailable"),
    ]


def _block_list(path: Path) -> DiagnosisLine:
    try:
        ranges = len(read_block_list(path))
    except (OSError, EOFError):
        return DiagnosisLine("block list", "error", f"cannot read {path}; no torrent is started")
    except ValueError:
        text = f"{path} contains no address ranges; no torrent is started"
        return DiagnosisLine("block list", "error", text)
    return DiagnosisLine("block list", "ok", f"{ranges} address ranges")
