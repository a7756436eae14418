import os
import random
import signal
import struct
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from PIL import Image

from quartet.kernel.startup import open_kernel
from quartet.media.app import SERVICE
from quartet.media.probe.exif import exif
from quartet.media.probe.media_header import resolution
from quartet.media.probe.pool import ProbeFailed, ProbePool
from quartet.media.probe.service import Prober
from tests.media.video_files import make_video

pytestmark = pytest.mark.anyio


@pytest.fixture
async def pool() -> AsyncIterator[ProbePool]:
    made = ProbePool(size=1)
    yield made
    await made.close()


async def test_video_audio_and_tags(tmp_path: Path, pool: ProbePool) -> None:
    path = make_video(
        tmp_path / "a.mkv", size=(1280, 544), sound=("ger", "eng"), tags={"title": "Hm"}
    )
    found = await pool.read(path)
    assert found
    assert (found.resolution, found.video_codec, found.hdr) == ("720p", "H.264", None)
    assert [(each.codec, each.layout, each.language) for each in found.audio] == [
        ("AC3", "5.1", "de"),
        ("AC3", "5.1", "en"),
    ]
    assert found.duration and found.duration < 1
    assert found.tags["title"] == "Hm"


async def test_hdr_and_codecs(tmp_path: Path, pool: ProbePool) -> None:
    pq = make_video(tmp_path / "pq.mkv", pixels="yuv420p10le", transfer=16)
    hlg = make_video(tmp_path / "hlg.mp4", pixels="yuv420p10le", transfer=18)
    av1 = make_video(tmp_path / "av1.mkv", codec="libsvtav1")
    old = make_video(tmp_path / "old.avi", codec="mpeg4")
    facts = [await pool.read(path) for path in (pq, hlg, av1, old)]
    seen = [(each.hdr, each.video_codec) for each in facts if each]
    assert seen == [("HDR10", "H.264"), ("HLG", "H.264"), (None, "AV1"), (None, "MPEG-4")]


@pytest.mark.parametrize(
    ("size", "name"),
    [
        ((3840, 1608), "2160p"),
        ((2560, 1440), "1440p"),
        ((1920, 800), "1080p"),
        ((1440, 1080), "1080p"),
        ((1280, 720), "720p"),
        ((960, 720), "720p"),
        ((720, 576), "576p"),
        ((720, 480), "480p"),
        ((0, 0), None),
    ],
)
def test_resolution(size: tuple[int, int], name: str | None) -> None:
    assert resolution(*size) == name


async def test_hostile_files_are_not_media_files(tmp_path: Path, pool: ProbePool) -> None:
    whole = make_video(tmp_path / "whole.mp4").read_bytes()
    (tmp_path / "secret.ts").write_bytes(make_video(tmp_path / "x.mkv").read_bytes())
    hostile = {
        "empty.mkv": b"",
        "junk.mkv": os.urandom(5000),
        "cut.mp4": whole[: len(whole) // 3],
        "list.mkv": b"#EXTM3U\n#EXTINF:1,\n" + bytes(tmp_path / "secret.ts") + b"\n",
        "net.mkv": b"#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:9/x.ts\n",
        "concat.mkv": b"ffconcat version 1.0\nfile secret.ts\n",
        "huge.avi": b"RIFF\xff\xff\xff\x7fAVI LIST\xff\xff\xff\x7fhdrl" + b"\xff" * 4000,
    }
    for name, data in hostile.items():
        path = tmp_path / name
        path.write_bytes(data)
        found = await pool.read(path)
        assert found is None or not found.video_codec, name
    os.mkfifo(tmp_path / "pipe.mkv")
    assert await pool.read(tmp_path / "pipe.mkv") is None
    assert await pool.read(tmp_path / "missing.mkv") is None
    assert await pool.read(tmp_path / "whole.mp4")


async def test_names_that_are_not_utf8(tmp_path: Path, pool: ProbePool) -> None:
    for name in (b"\xff\xfe.mkv", b"line\nbreak.mkv", b"http:a.mkv"):
        path = Path(os.fsdecode(bytes(tmp_path) + b"/" + name))
        make_video(tmp_path / "made.mkv").rename(path)
        assert await pool.read(path)


async def test_hanging_or_dead_worker_is_replaced(tmp_path: Path) -> None:
    path = make_video(tmp_path / "a.mkv")
    hasty = ProbePool(size=1, timeout=0)
    with pytest.raises(ProbeFailed):
        await hasty.read(path)
    assert hasty._idle == []
    pool = ProbePool(size=1)
    assert await pool.read(path)
    (worker,) = pool._idle
    limits = Path(f"/proc/{worker.pid}/limits").read_text()
    assert "Max address space         1073741824" in limits
    os.kill(worker.pid, signal.SIGKILL)
    assert await pool.read(path)
    await pool.close()


async def test_file_is_read_once_until_it_changes(tmp_path: Path) -> None:
    kernel = open_kernel(SERVICE, SERVICE.settings(data=tmp_path / "data"))
    pool = ProbePool(size=1)
    prober = Prober(kernel, pool)
    path = make_video(tmp_path / "a.mkv")
    first = await prober.probe(path)
    await prober.close_idle()
    moved = path.rename(tmp_path / "b.mkv")
    assert first and await prober.probe(moved) == first
    assert pool._idle == []
    moved.write_bytes(b"no film any more")
    assert await prober.probe(moved) is None
    assert await prober.probe(tmp_path / "missing.mkv") is None
    assert await prober.probe(tmp_path) is None
    await prober.close_idle()
    await kernel.close()


async def test_timeout_is_not_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow disk or a busy machine says nothing about the file."""
    kernel = open_kernel(SERVICE, SERVICE.settings(data=tmp_path / "data"))
    pool = ProbePool(size=1, timeout=0)
    prober = Prober(kernel, pool)
    path = make_video(tmp_path / "a.mkv")
    assert await prober.probe(path) is None
    # Not immediately: the file may be the cause, and a job asks repeatedly.
    pool._timeout = 20
    assert await prober.probe(path) is None
    assert pool._idle == []
    now = time.monotonic()
    monkeypatch.setattr("quartet.media.probe.service.monotonic", lambda: now + 700)
    assert await prober.probe(path)
    await prober.close_idle()
    await kernel.close()


async def test_date_of_photo(tmp_path: Path, pool: ProbePool) -> None:
    photo = Image.new("RGB", (8, 8))
    about = Image.Exif()
    about[0x0110] = "Camera"
    about.get_ifd(0x8769)[0x9003] = "2021:03:04 05:06:07"
    photo.save(tmp_path / "a.jpg", exif=about)
    photo.save(tmp_path / "b.jpg")
    found = await pool.read(tmp_path / "a.jpg")
    assert found and found.tags == {"model": "Camera", "taken": "2021:03:04 05:06:07"}
    plain = await pool.read(tmp_path / "b.jpg")
    assert plain and plain.tags == {}
    data = (tmp_path / "a.jpg").read_bytes()
    for length in range(0, min(len(data), 120), 7):
        (tmp_path / "c.jpg").write_bytes(data[:length] + b"\xff" * 40)
        assert await pool.read(tmp_path / "c.jpg")


def _box(kind: bytes, *content: bytes) -> bytes:
    body = b"".join(content)
    return struct.pack(">I4s", len(body) + 8, kind) + body


def _tiff(photo: Path) -> bytes:
    """Return the EXIF block of a JPEG file."""
    data = photo.read_bytes()
    return data[data.index(b"Exif\0\0") + 6 :]


async def test_date_of_heic_and_raw_photos(tmp_path: Path, pool: ProbePool) -> None:
    photo, about = Image.new("RGB", (8, 8)), Image.Exif()
    about[0x0110] = "Model X"
    about.get_ifd(0x8769)[0x9003] = "2021:03:04 05:06:07"
    for name in ("a.jpg", "a.avif"):
        photo.save(tmp_path / name, exif=about)
    tiff = _tiff(tmp_path / "a.jpg")
    # HEIC: the item table of AVIF; the image data comes first here.
    size = struct.pack(">I", 6) + b"Exif\0\0" + tiff
    brand = _box(b"ftyp", b"heic\0\0\0\0mif1heic")
    pixels = _box(b"mdat", b"x" * 5000, size)
    entry = _box(b"infe", b"\2\0\0\0", struct.pack(">HH4s", 7, 0, b"Exif"), b"\0")
    items = _box(b"iinf", b"\0\0\0\0", struct.pack(">H", 1), entry)
    where = struct.pack(">HHHHHII", 0x4400, 1, 7, 0, 1, len(brand) + 8 + 5000, len(size))
    meta = _box(b"meta", b"\0\0\0\0", items, _box(b"iloc", b"\0\0\0\0", where))
    (tmp_path / "a.heic").write_bytes(brand + pixels + meta)
    # CR3: the tags are in boxes of Canon.
    canon = _box(b"uuid", bytes(16), _box(b"CMT1", tiff))
    (tmp_path / "a.cr3").write_bytes(_box(b"ftyp", b"crx \0\0\0\0") + _box(b"moov", canon))
    # RAF: the tags are those of its preview.
    jpeg = (tmp_path / "a.jpg").read_bytes()
    head = b"FUJIFILMCCD-RAW".ljust(84, b" ") + struct.pack(">I", 200)
    (tmp_path / "a.raf").write_bytes(head.ljust(200, b"\0") + jpeg)
    # NEF, CR2, ARW and DNG are TIFF files.
    (tmp_path / "a.nef").write_bytes(tiff)
    for name in ("a.avif", "a.heic", "a.cr3", "a.raf", "a.nef"):
        found = await pool.read(tmp_path / name)
        assert found and found.tags["taken"] == "2021:03:04 05:06:07", name
        assert found.tags["model"] == "Model X"


@pytest.mark.parametrize("name", ["a.heic", "a.cr3", "a.nef", "a.raf"])
def test_damaged_photo_has_no_tags(tmp_path: Path, name: str) -> None:
    photo = tmp_path / name
    chance = random.Random(1)
    starts = (b"\0\0\0\x10ftypheic\0\0\0\0", b"II*\0\x08\0\0\0", b"FUJIFILMCCD-RAW", b"\xff\xd8")
    for start in starts:
        for length in (0, 1, 30, 500):
            kinds = b"".join(_box(kind, chance.randbytes(length)) for kind in (b"meta", b"moov"))
            photo.write_bytes(start + kinds + chance.randbytes(length))
            assert exif(photo).keys() <= {"make", "model", "modified", "subsec", "taken"}
