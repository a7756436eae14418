"""Files a server stores encrypted, which are readable when they arrive."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quartet.downloads.transfer import CounterMode, verify
from quartet.downloads.transfer.mega_mac import MegaMac
from quartet.kernel.errors import AppError
from tests.downloads.imitations.mega import KEY, NONCE, encrypted, mac_of
from tests.downloads.transfer.desk import Desk, content
from tests.downloads.transfer.servers import Nginx

PLAIN = content(3_000_001, seed=3)
CIPHER = CounterMode(KEY, NONCE)


@pytest.fixture(autouse=True, scope="module")
def file(web: Nginx) -> None:
    web.add("locked.bin", encrypted(PLAIN))


@given(st.lists(st.integers(0, 1000), max_size=5), st.binary(max_size=1000))
def test_any_stretch_by_itself(cuts: list[int], data: bytes) -> None:
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    locked = encrypted(data)
    opened = [CIPHER.turn(locked[a:b], a) for a, b in pairwise(places)]
    assert b"".join(opened) == data


@pytest.mark.parametrize("connections", [1, 5])
def test_segments_in_any_order(web: Nginx, desk: Desk, connections: int) -> None:
    url = web.url("locked.bin")
    assert desk.finished(url, connections=connections, cipher=CIPHER) == PLAIN


@pytest.mark.parametrize("where", ["medium", "bare"])
def test_what_was_paused_goes_on(web: Nginx, desk: Desk, where: str) -> None:
    """Without validators the last bytes are compared, as the server sends them."""
    url = web.url(f"{where}/locked.bin")
    desk.begin(url, connections=2, cipher=CIPHER)
    done = desk.when(lambda now: now.bytes_done > 100_000).bytes_done
    desk.pause()
    before = len(web.requests())
    # One after the other: what is taken from a connection has often been sent already.
    assert desk.finished(web.url("locked.bin"), connections=1, cipher=CIPHER) == PLAIN
    desk.finished(web.url("locked.bin?end"), id=2, connections=1)
    again = [line for line in web.requests()[before:] if "locked.bin?" not in line]
    sent = sum(int(line.split('"')[2].split()[1]) for line in again)
    assert sent < len(PLAIN) - done + 1_000_000


def test_the_checksum_of_mega(tmp_path: Path) -> None:
    for size in (0, 1, 16, 131_072, 131_073, 800_001):
        path = tmp_path / "plain.bin"
        path.write_bytes(PLAIN[:size])
        right = (KEY + NONCE + mac_of(PLAIN[:size])).hex()
        verify(path, "mega", right)
        if size:
            path.write_bytes(PLAIN[1 : size + 1])
            with pytest.raises(AppError, match="hash_wrong"):
                verify(path, "mega", right)


@given(st.lists(st.integers(1, 300_000), max_size=6))
def test_however_it_is_fed(sizes: list[int]) -> None:
    right = (KEY + NONCE + bytes(8)).hex()
    pieces, whole = MegaMac(right), MegaMac(right)
    data, place = memoryview(PLAIN), 0
    for size in sizes:
        pieces.update(data[place : place + size])
        place += size
    whole.update(data[:place])
    assert pieces.hexdigest() == whole.hexdigest()
