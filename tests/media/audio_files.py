"""Creates small real audio files with tags."""

from pathlib import Path
from typing import Any

import av


def make_audio(path: Path, **tags: str) -> Path:
    """Create a track of a tenth of a second; the extension decides the format."""
    path.parent.mkdir(parents=True, exist_ok=True)
    codec = {".ogg": "libopus", ".mp3": "libmp3lame", ".m4a": "aac"}.get(path.suffix, "flac")
    with av.open(str(path), "w") as container:
        container.metadata.update(tags)
        track: Any = container.add_stream(codec, rate=48000)
        track.layout = "mono"
        size = track.codec_context.frame_size or 4800
        for _ in range(3):
            frame = av.AudioFrame(
                format=track.codec_context.format.name, layout="mono", samples=size
            )
            frame.sample_rate = 48000
            container.mux(track.encode(frame))
        container.mux(track.encode(None))
    return path
