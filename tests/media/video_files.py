"""Creates small real video files."""

import os
from pathlib import Path
from typing import Any

import av


def make_video(
    path: Path,
    *,
    codec: str = "libx264",
    size: tuple[int, int] = (320, 240),
    pixels: str = "yuv420p",
    transfer: int | None = None,
    sound: tuple[str, ...] = (),
    tags: dict[str, str] | None = None,
) -> Path:
    """Create a video with one frame; `sound` has the languages of its six-channel AC3 tracks."""
    with av.open(str(path), "w") as container:
        container.metadata.update(tags or {})
        picture: Any = container.add_stream(codec, rate=24)
        picture.width, picture.height, picture.pix_fmt = *size, pixels
        if transfer is not None:
            picture.codec_context.color_trc = transfer
        tracks: list[Any] = []
        for language in sound:
            track: Any = container.add_stream("ac3", rate=48000)
            track.layout = "5.1"
            track.metadata["language"] = language
            tracks.append(track)
        container.mux([*picture.encode(av.VideoFrame(*size, pixels)), *picture.encode()])
        for track in tracks:
            heard = av.AudioFrame(format="fltp", layout="5.1", samples=1536)
            heard.sample_rate = 48000
            container.mux([*track.encode(heard), *track.encode()])
    # As root, SVT-AV1 makes the calling thread real-time and never resets it, which would starve
    # everything the tests start afterwards.
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    return path
