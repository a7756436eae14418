"""Bodies that a server compressed although it was asked not to."""

import gzip
import zlib
from collections.abc import Callable

import pytest

from quartet.downloads.transfer.encodings import LONGEST_PIECE, decoder_for
from tests.downloads.transfer.engine_bench import EngineBench, content
from tests.downloads.transfer.servers import (
    ReceivedRequest,
    Script,
    Send,
    head,
    scripted_server,
)

DATA = content(300_000)


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


ENCODINGS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gzip": ("gzip", gzip.compress),
    "two members": (
        "x-gzip",
        lambda data: gzip.compress(data[:1000]) + gzip.compress(data[1000:]),
    ),
    "zlib": ("deflate", zlib.compress),
    "raw deflate": ("deflate", raw_deflate),
}


def sending(body: bytes, *lines: str, ranges: bool = False) -> Script:
    def script(asked: ReceivedRequest, send: Send) -> None:
        if ranges and asked.range:
            start, end = asked.range[0], asked.range[1] or len(body)
            place = f"Content-Range: bytes {start}-{end - 1}/{len(body)}"
            size = f"Content-Length: {end - start}"
            send(head("206 Partial Content", place, size, *lines) + body[start:end])
        else:
            send(head("200 OK", f"Content-Length: {len(body)}", *lines) + body)

    return script


def test_compression_bomb_is_decoded_in_pieces() -> None:
    """Half a megabyte of a hostile server took a gigabyte of memory."""
    for name, pack in (("gzip", gzip.compress), ("deflate", zlib.compress)):
        decoder, size = decoder_for(name), 0
        for piece in decoder.feed(pack(bytes(20 * LONGEST_PIECE))):
            assert len(piece) <= LONGEST_PIECE
            size += len(piece)
        assert (size, decoder.complete) == (20 * LONGEST_PIECE, True)
    many = decoder_for("gzip")
    assert b"".join(many.feed(gzip.compress(b"a") * 5000)) == b"a" * 5000
    assert many.complete


@pytest.mark.parametrize("kind", ENCODINGS)
@pytest.mark.parametrize("ranges", [False, True])
def test_compressed_body_is_decoded(bench: EngineBench, kind: str, ranges: bool) -> None:
    encoding, encode = ENCODINGS[kind]
    line = f"Content-Encoding: {encoding}"
    script = sending(encode(DATA), line, 'ETag: "a"', ranges=ranges)
    with scripted_server(script) as server:
        assert bench.finished(server.url(), connections=4, min_segment=1000) == DATA


def test_file_that_is_compressed_itself_stays_compressed(bench: EngineBench) -> None:
    packed = gzip.compress(DATA)
    with scripted_server(sending(packed, "Content-Encoding: x-gzip")) as server:
        assert bench.finished(server.url("software.tar.gz")) == packed
    with scripted_server(
        sending(packed, "Content-Encoding: gzip", "Content-Type: application/gzip")
    ) as server:
        assert bench.finished(server.url("other")) == packed


def test_truncated_compressed_body_is_an_error(bench: EngineBench) -> None:
    packed = gzip.compress(DATA)
    with scripted_server(sending(packed[:-100], "Content-Encoding: gzip")) as server:
        failed = bench.failed(server.url())
    assert (failed.problem.code, failed.retryable) == ("closed_early", True)


def test_unknown_encoding_is_refused(bench: EngineBench) -> None:
    with scripted_server(sending(b"?", "Content-Encoding: br")) as server:
        failed = bench.failed(server.url())
    assert (failed.problem.code, failed.problem.inputs) == (
        "encoding_unsupported",
        {"encoding": "br"},
    )
