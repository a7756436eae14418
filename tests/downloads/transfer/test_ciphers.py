"""Files that the server stores encrypted are decrypted while they are written."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quartet.downloads.transfer import CounterMode, verify_checksum
from quartet.downloads.transfer.mega_mac import MegaMac
from quartet.kernel.errors import AppError
from tests.downloads.imitations.mega import KEY, NONCE, encrypted, mac_of
from tests.downloads.transfer.engine_bench import EngineBench, content
from tests.downloads.transfer.servers import Nginx

PLAIN = content(3_000_001, seed=3)
CIPHER = CounterMode(KEY, NONCE)


@pytest.fixture(autouse=True, scope="module")
def file(web: Nginx) -> None:
    web.add("locked.bin", encrypted(PLAIN))


@given(st.lists(st.integers(0, 1000), max_size=5), st.binary(max_size=1000))
def test_any_range_can_be_decrypted(cuts: list[int], data: bytes) -> None:
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    locked = encrypted(data)
    opened = [CIPHER.apply(locked[a:b], a) for a, b in pairwise(places)]
    assert b"".join(opened) == data


@pytest.mark.parametrize("connections", [1, 5])
def test_encrypted_segments_in_any_order(web: Nginx, bench: EngineBench, connections: int) -> None:
    url = web.url("locked.bin")
    assert bench.finished(url, connections=connections, cipher=CIPHER) == PLAIN


@pytest.mark.parametrize("where", ["slow", "bare"])
def test_encrypted_download_is_resumed(web: Nginx, bench: EngineBench, where: str) -> None:
    """Without validators, the last bytes are compared in encrypted form."""
    url = web.url(f"{where}/locked.bin")
    bench.begin(url, connections=2, cipher=CIPHER)
    done = bench.when(lambda now: now.bytes_done > 100_000).bytes_done
    bench.pause()
    # One connection, because the server may already have sent bytes that are split off. The query
    # tells the resumed requests from the paused ones, which nginx may log much later.
    resumed = f"locked.bin?resumed-{where}"
    assert bench.finished(web.url(resumed), connections=1, cipher=CIPHER) == PLAIN
    bench.finished(web.url("locked.bin?end"), id=2, connections=1)
    again = [line for line in web.requests() if resumed in line]
    assert again
    sent = sum(int(line.split('"')[2].split()[1]) for line in again)
    assert sent < len(PLAIN) - done + 1_000_000


def test_mega_checksum(tmp_path: Path) -> None:
    for size in (0, 1, 16, 131_072, 131_073, 800_001):
        path = tmp_path / "plain.bin"
        path.write_bytes(PLAIN[:size])
        right = (KEY + NONCE + mac_of(PLAIN[:size])).hex()
        verify_checksum(path, "mega", right)
        if size:
            path.write_bytes(PLAIN[1 : size + 1])
            with pytest.raises(AppError, match="hash_wrong"):
                verify_checksum(path, "mega", right)


@given(st.lists(st.integers(1, 300_000), max_size=6))
def test_mega_checksum_does_not_depend_on_chunk_sizes(sizes: list[int]) -> None:
    right = (KEY + NONCE + bytes(8)).hex()
    pieces, whole = MegaMac(right), MegaMac(right)
    data, place = memoryview(PLAIN), 0
    for size in sizes:
        pieces.update(data[place : place + size])
        place += size
    whole.update(data[:place])
    assert pieces.hexdigest() == whole.hexdigest()
