"""When a finished torrent has been seeded for long enough."""

import pytest

from quartet.downloads.bittorrent.store import StoredTorrent
from quartet.downloads.options.types import Options
from quartet.downloads.queue.torrents.seeding import is_reached
from quartet.downloads.queue.torrents.store import SeededTorrent

SIZE = 1000


def seeded(uploaded: int, minutes: int, ratio: int | None, limit: int | None) -> SeededTorrent:
    torrent = StoredTorrent(
        package_id=1,
        info_hash="a" * 40,
        magnet="",
        metainfo=None,
        private=False,
        sequential=False,
        trackers=None,
        upload_limit_kib=0,
        uploaded=uploaded,
        seeding=True,
        seeded_seconds=minutes * 60,
        ratio_limit_percent=ratio,
        seed_limit_minutes=limit,
    )
    return SeededTorrent(torrent, {0: ("a", SIZE)})


# The settings and the limits of the torrent are percent and minutes.
@pytest.mark.parametrize(
    ("settings", "own", "uploaded", "minutes", "wanted"),
    [
        ((0, 0), (None, None), 0, 0, True),
        ((200, 0), (None, None), 2 * SIZE - 1, 9999, False),
        ((200, 0), (None, None), 2 * SIZE, 0, True),
        ((0, 60), (None, None), 99 * SIZE, 59, False),
        ((0, 60), (None, None), 0, 60, True),
        # The first limit that is reached ends it.
        ((200, 60), (None, None), 0, 60, True),
        ((200, 60), (None, None), 2 * SIZE, 0, True),
        # Limits of the torrent override those of the settings.
        ((200, 0), (50, None), SIZE // 2, 0, True),
        ((0, 60), (None, 90), 0, 60, False),
        ((200, 60), (-1, -1), 99 * SIZE, 9999, False),
    ],
)
def test_seeding_ends_with_ratio_or_time(
    settings: tuple[int, int],
    own: tuple[int | None, int | None],
    uploaded: int,
    minutes: int,
    wanted: bool,
) -> None:
    options = Options(seed_ratio_percent=settings[0], seed_minutes=settings[1])
    assert is_reached(seeded(uploaded, minutes, *own), options, uploaded) is wanted
