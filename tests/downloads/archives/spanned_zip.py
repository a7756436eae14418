"""A minimal writer of spanned ZIP files: `.z01`, `.z02`, and `.zip` as the last."""

import struct
import zlib
from collections.abc import Mapping

_UTF8_NAMES = 0x800


def spanned_zip(stem: str, files: Mapping[str, bytes], size: int) -> dict[str, bytes]:
    local, entries = b"PK\x07\x08", []
    for name, data in files.items():
        fields = struct.pack(
            "<HHHHLLL", _UTF8_NAMES, 0, 0, 0, zlib.crc32(data), len(data), len(data)
        )
        encoded = name.encode()
        disk, offset = divmod(len(local), size)
        entries.append(
            struct.pack("<LHH", 0x02014B50, 0x314, 20)
            + fields
            + struct.pack("<HHHHHLL", len(encoded), 0, 0, disk, 0, 0o100644 << 16, offset)
            + encoded
        )
        local += struct.pack("<LH", 0x04034B50, 20) + fields
        local += struct.pack("<HH", len(encoded), 0) + encoded + data
    last, offset = divmod(len(local), size)
    directory = b"".join(entries)
    count = len(entries)
    end = struct.pack("<LHHHHLLH", 0x06054B50, last, last, count, count, len(directory), offset, 0)
    disks = [local[at : at + size] for at in range(0, last * size, size)]
    named = {f"{stem}.z{number:02}": disk for number, disk in enumerate(disks, 1)}
    return {**named, f"{stem}.zip": local[last * size :] + directory + end}
