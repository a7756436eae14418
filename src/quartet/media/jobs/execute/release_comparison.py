"""Compares two files' quality by their content, their names and their original release names."""

import asyncio
from pathlib import Path

from quartet.media.jobs.preview.parsed_videos import parse_path
from quartet.media.moves.release_quality import ReleaseQuality, is_better
from quartet.media.moves.service import Moves
from quartet.media.moves.types import IsBetter
from quartet.media.names.types import Parsed
from quartet.media.probe.service import Prober
from quartet.media.probe.types import Probed
from quartet.media.roots.folder_access import FolderAccess
from quartet.media.roots.path_encoding import encode_path


def release_comparer(access: FolderAccess, prober: Prober, moves: Moves) -> IsBetter:
    """Create the comparison on the event loop.

    The returned function is called from a worker thread.
    """
    loop = asyncio.get_running_loop()

    async def compare(new: str, old: str) -> bool | None:
        from quartet.media.names.parse import parse

        original_source = await moves.original_source(old)
        before = parse(encode_path(original_source.rpartition("/")[2])) if original_source else None
        return is_better(await facts(new, None), await facts(old, before))

    async def facts(path: str, parsed: Parsed | None) -> ReleaseQuality:
        location = access.resolve(path)
        size = (await asyncio.to_thread(location.root.stat, location.parts)).st_size
        return _facts(parsed or parse_path(location), await prober.probe(Path(path)), size)

    def better(new: str, old: str) -> bool | None:
        return asyncio.run_coroutine_threadsafe(compare(new, old), loop).result()

    return better


def _facts(parsed: Parsed, probed: Probed | None, size: int) -> ReleaseQuality:
    release, seen = parsed.release, probed or Probed()
    sound = seen.audio[0] if seen.audio else None
    return ReleaseQuality(
        resolution=seen.resolution or release.resolution,
        source=release.source,
        # Readable content without HDR information means SDR.
        hdr=seen.hdr or release.hdr or ("SDR" if seen.video_codec else None),
        video_codec=seen.video_codec or release.video_codec,
        audio_codec=(sound.codec if sound else None) or release.audio_codec,
        audio_channels=_channels((sound.layout if sound else None) or release.audio_channels),
        proper=release.proper or release.repack,
        size=size,
    )


def _channels(layout: str | None) -> float | None:
    try:
        return float(layout) if layout else None
    except ValueError:
        return None
