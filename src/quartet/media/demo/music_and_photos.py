"""Small tracks with tags and covers, and photos with dates, for the libraries of the demo."""

import base64
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

_RATE, _SECONDS = 44_100, 180
_COVER_SIZE = 96
# A grey JPEG of eight by eight pixels, without its first marker.
_PIXELS = base64.b64decode(
    "/9sAQwAbEhQXFBEbFxYXHhwbIChCKyglJShROj0wQmBVZWRfVV1baniZgWpxkHNbXYW1hpCeo6utq2eAvMm6pseZ"
    "qKuk/8AACwgACAAIAQERAP/EABQAAQAAAAAAAAAAAAAAAAAAAAL/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/9oACAEB"
    "AAA/AC//2Q=="
)
_STREAM_INFO, _COMMENTS, _PICTURE, _LAST = 0, 4, 6, 0x80
_EXIF_POINTER, _TAKEN = 0x8769, 0x9003
_TEXT, _LONG = 2, 4


class Album(NamedTuple):
    artist: str
    title: str
    year: int
    colour: tuple[int, int, int]
    tracks: Sequence[str]


# Filed at the first start.
FILED = Album(
    "Clara Schumann",
    "Piano Works",
    1987,
    (30, 64, 110),
    ("Allegro moderato", "Scherzo", "Andante", "Allegretto"),
)
# To try a job for music.
UNFILED = Album(
    "Antonio Vivaldi",
    "The Four Seasons",
    1994,
    (122, 74, 24),
    ("Spring", "Summer", "Autumn", "Winter"),
)
FILED_PHOTOS = ("2023:07:14 09:31:20", "2023:07:14 21:05:47", "2023:12:24 18:02:11")
UNFILED_PHOTOS = ("2024:03:02 12:44:05", "2024:03:02 12:44:05", "2024:08:19 06:12:58")


def write_album(folder: Path, album: Album) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, title in enumerate(album.tracks, 1):
        (folder / f"track{number:02}.flac").write_bytes(_track(album, number, title))


def write_photos(folder: Path, taken: Sequence[str], first: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, time in enumerate(taken, first):
        (folder / f"IMG_{number:04}.JPG").write_bytes(_photo(time))


def _track(album: Album, number: int, title: str) -> bytes:
    """Return a FLAC file that has tags and a cover, but no sound."""
    tags = {
        "TITLE": title,
        "ARTIST": album.artist,
        "ALBUM": album.title,
        "DATE": album.year,
        "TRACKNUMBER": number,
    }
    comments = [f"{name}={value}".encode() for name, value in tags.items()]
    text = _with_length(b"", "<") + struct.pack("<I", len(comments))
    text += b"".join(_with_length(one, "<") for one in comments)
    # One channel of 16 bits.
    format = (_RATE << 44) | (15 << 36) | (_RATE * _SECONDS)
    info = struct.pack(">HH", 4096, 4096) + bytes(6) + format.to_bytes(8, "big") + bytes(16)
    return (
        b"fLaC"
        + _block(_STREAM_INFO, info)
        + _block(_PICTURE, _front_cover(album))
        + _block(_COMMENTS | _LAST, text)
    )


def _block(kind: int, content: bytes) -> bytes:
    return bytes([kind]) + len(content).to_bytes(3, "big") + content


def _with_length(content: bytes, order: str) -> bytes:
    return struct.pack(f"{order}I", len(content)) + content


def _front_cover(album: Album) -> bytes:
    size = struct.pack(">4I", _COVER_SIZE, _COVER_SIZE, 24, 0)
    head = struct.pack(">I", 3) + _with_length(b"image/png", ">") + _with_length(b"", ">")
    return head + size + _with_length(_png(album.colour), ">")


def _png(colour: tuple[int, int, int]) -> bytes:
    """Return a square that gets lighter towards the bottom."""
    rows = b"".join(
        b"\0" + bytes(min(255, value + line) for value in colour) * _COVER_SIZE
        for line in range(_COVER_SIZE)
    )
    header = struct.pack(">2I5B", _COVER_SIZE, _COVER_SIZE, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content)) + name + content
        + struct.pack(">I", zlib.crc32(name + content))
        for name, content in chunks
    )  # fmt: skip


def _photo(taken: str) -> bytes:
    """Return a JPEG whose EXIF data say when it was taken."""
    text = taken.encode() + b"\0"
    first = struct.pack("<HHHIII", 1, _EXIF_POINTER, _LONG, 1, 26, 0)
    second = struct.pack("<HHHIII", 1, _TAKEN, _TEXT, len(text), 44, 0)
    exif = b"Exif\0\0" + b"II*\0" + struct.pack("<I", 8) + first + second + text
    return b"\xff\xd8\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + _PIXELS
