"""MEGA's checksum of a file, which requires the file's key."""

from typing import Any

_BLOCK = 16
_UNIT = 128 * 1024
# Chunks grow by one unit each, up to eight units.
_LARGEST = 8


class MegaMac:
    """`value` is hexadecimal: 16 bytes of key, 8 bytes of nonce, 8 bytes of checksum."""

    def __init__(self, value: str) -> None:
        raw = bytes.fromhex(value)
        self._known = raw[:24]
        self._key, nonce = raw[:16], raw[16:24]
        self._start = nonce + nonce
        self._whole = _chain(self._key, bytes(_BLOCK))
        self._folded = bytes(_BLOCK)
        self._units = 1
        self._begin()

    def update(self, data: memoryview, /) -> None:
        while data:
            count = min(len(data), self._left)
            self._feed(data[:count])
            data = data[count:]
            self._left -= count
            if not self._left:
                self._close()
                self._units = min(self._units + 1, _LARGEST)
                self._begin()

    def hexdigest(self) -> str:
        """Return key, nonce and checksum, in the same format as `value`."""
        if self._left != self._units * _UNIT:
            self._close()
        words = [self._folded[place : place + 4] for place in range(0, _BLOCK, 4)]
        return (self._known + _xor(words[0], words[1]) + _xor(words[2], words[3])).hex()

    def _begin(self) -> None:
        self._left = self._units * _UNIT
        self._chunk = _chain(self._key, self._start)
        self._last = self._start
        self._rest = b""

    def _feed(self, data: memoryview) -> None:
        # Chunks are multiples of the block size, so only the last one leaves a remainder.
        whole = self._rest + data.tobytes() if self._rest else data
        even = len(whole) - len(whole) % _BLOCK
        if even:
            self._last = self._chunk.update(whole[:even])[-_BLOCK:]
        self._rest = bytes(whole[even:])

    def _close(self) -> None:
        if self._rest:
            self._last = self._chunk.update(self._rest.ljust(_BLOCK, b"\0"))
        self._folded = self._whole.update(self._last)


def _chain(key: bytes, start: bytes) -> Any:
    from cryptography.hazmat.primitives.ciphers import Cipher
    from cryptography.hazmat.primitives.ciphers.algorithms import AES
    from cryptography.hazmat.primitives.ciphers.modes import CBC

    return Cipher(AES(key), CBC(start)).encryptor()


def _xor(one: bytes, other: bytes) -> bytes:
    return bytes(left ^ right for left, right in zip(one, other, strict=True))
