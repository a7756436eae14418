"""The checks of `quartet doctor` for downloads."""

from importlib.util import find_spec

from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.diagnosis import Finding, check_program


async def findings(_settings: DownloadsSettings) -> list[Finding]:
    ffmpeg = check_program("ffmpeg", "videos with a separate sound track cannot be merged")
    if find_spec("libtorrent"):
        return [ffmpeg, Finding("libtorrent", "ok", "installed")]
    return [ffmpeg, Finding("libtorrent", "warning", "not installed; torrents are unavailable")]
