"""Creates small real audio files with tags."""

import io
from pathlib import Path
from typing import Any

import av
from av.stream import Disposition
from PIL import Image


def jpeg_picture() -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (16, 16), "navy").save(out, "JPEG")
    return out.getvalue()


def make_audio(path: Path, cover: bytes | None = None, /, **tags: str) -> Path:
    """Create a track of a tenth of a second; the extension decides the format."""
    path.parent.mkdir(parents=True, exist_ok=True)
    codec = {".ogg": "libopus", ".mp3": "libmp3lame", ".m4a": "aac"}.get(path.suffix, "flac")
    with av.open(str(path), "w") as container:
        container.metadata.update(tags)
        track: Any = container.add_stream(codec, rate=48000)
        track.layout = "mono"
        if cover:
            embed(container, cover)
        size = track.codec_context.frame_size or 4800
        for _ in range(3):
            frame = av.AudioFrame(
                format=track.codec_context.format.name, layout="mono", samples=size
            )
            frame.sample_rate = 48000
            container.mux(track.encode(frame))
        container.mux(track.encode(None))
    return path


def embed(container: Any, cover: bytes) -> None:
    with av.open(io.BytesIO(cover), "r") as picture:
        stream = container.add_stream_from_template(picture.streams.video[0])
        stream.disposition = Disposition.attached_pic
        packet = next(picture.demux(video=0))
        packet.stream = stream
        container.mux(packet)
