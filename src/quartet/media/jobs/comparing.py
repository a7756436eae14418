"""Which of two files is the better release, by content, name and the name it came with."""

import asyncio
from pathlib import Path

from quartet.media.jobs.scan import parsed_at
from quartet.media.moves.better import ReleaseFacts, is_better
from quartet.media.moves.service import Moves
from quartet.media.moves.types import Better
from quartet.media.names.parse import parse
from quartet.media.names.types import Parsed
from quartet.media.probe.service import Prober
from quartet.media.probe.types import Probed
from quartet.media.roots.places import Places
from quartet.media.roots.texts import path_text


def comparing(places: Places, prober: Prober, moves: Moves) -> Better:
    """Called on the event loop; what it gives is called from a worker thread."""
    loop = asyncio.get_running_loop()

    async def compare(new: str, old: str) -> bool | None:
        came_from = await moves.came_from(old)
        before = parse(path_text(came_from.rpartition("/")[2])) if came_from else None
        return is_better(await facts(new, None), await facts(old, before))

    async def facts(path: str, parsed: Parsed | None) -> ReleaseFacts:
        spot = places.spot(path)
        size = (await asyncio.to_thread(spot.root.stat, spot.parts)).st_size
        return _facts(parsed or parsed_at(spot), await prober.probe(Path(path)), size)

    def better(new: str, old: str) -> bool | None:
        return asyncio.run_coroutine_threadsafe(compare(new, old), loop).result()

    return better


def _facts(parsed: Parsed, probed: Probed | None, size: int) -> ReleaseFacts:
    release, seen = parsed.release, probed or Probed()
    sound = seen.audio[0] if seen.audio else None
    return ReleaseFacts(
        resolution=seen.resolution or release.resolution,
        source=release.source,
        # A film whose content was read and that says nothing of it has none.
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
