"""Encoding and encryption of MEGA's keys, names and sessions."""

import base64
import binascii
import hashlib
from functools import reduce
from typing import Any, NamedTuple

import msgspec
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC, ECB

from quartet.downloads.hosters.sdk import Fatal, Text

_KEYLESS = Text(
    de="Im Link fehlt der Schlüssel, oder er passt nicht.",
    en="The link lacks its key, or the key does not fit.",
)
_BLOCK = 16
_SESSION = 43
_FIRST_KEY = bytes.fromhex("93c467e37db0c7a4d1be3f810152cb56")


class BadKey(Fatal):
    """The key is malformed or belongs to another file."""

    def __init__(self) -> None:
        super().__init__(_KEYLESS)


class FileKey(NamedTuple):
    """The content of the 32-byte key in a link."""

    key: bytes
    nonce: bytes
    mac: bytes

    @property
    def checksum(self) -> str:
        """Return the checksum in the format of the transfer engine."""
        return (self.key + self.nonce + self.mac).hex()


class _Attributes(msgspec.Struct):
    n: str = ""


def unpack(text: str) -> bytes:
    """Decode base64url without padding."""
    try:
        return base64.b64decode(text.replace(",", "") + "==", altchars=b"-_")
    except (binascii.Error, ValueError):
        raise BadKey from None


def pack(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def file_key(raw: bytes) -> FileKey:
    if len(raw) != 2 * _BLOCK:
        raise BadKey
    return FileKey(xor(raw[:_BLOCK], raw[_BLOCK:]), raw[16:24], raw[24:32])


def node_key(text: str, key: bytes) -> bytes:
    """Decrypt the key of a file or folder with the key of the shared folder."""
    locked = unpack(text.partition("/")[0].rpartition(":")[2])
    if len(key) != _BLOCK or not locked or len(locked) % _BLOCK:
        raise BadKey
    return decrypted(locked, key)


def name_in(attributes: str, key: bytes) -> str:
    locked = unpack(attributes)
    if len(key) != _BLOCK or not locked or len(locked) % _BLOCK:
        raise BadKey
    opener = Cipher(AES(key), CBC(bytes(_BLOCK))).decryptor()
    text = opener.update(locked).rstrip(b"\0")
    if not text.startswith(b"MEGA{"):
        raise BadKey
    try:
        return msgspec.json.decode(text[4:], type=_Attributes).n
    except (msgspec.MsgspecError, UnicodeError):
        raise BadKey from None


def decrypted(data: bytes, key: bytes) -> bytes:
    return _ecb(key).decryptor().update(data)


def xor(one: bytes, other: bytes) -> bytes:
    return bytes(left ^ right for left, right in zip(one, other, strict=True))


def password_keys(password: str, salt: bytes) -> tuple[bytes, str]:
    """Return the key of the account and the proof for the server."""
    derived = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, 100_000, 32)
    return derived[:_BLOCK], pack(derived[_BLOCK:])


def old_password_keys(password: str, email: str) -> tuple[bytes, str]:
    """Return the same for accounts created before 2018."""
    key = _repeated(_FIRST_KEY, _blocks(password.encode()), 0x10000)
    folded = reduce(xor, _blocks(email.lower().encode()), bytes(_BLOCK))
    proof = _repeated(folded, [key], 0x4000)
    return key, pack(proof[:4] + proof[8:12])


def session(locked: str, private: str, master: bytes) -> str:
    """Decrypt the session id with the account's private key."""
    first, second, exponent = _numbers(decrypted(unpack(private), master), 3)
    (secret,) = _numbers(unpack(locked), 1)
    if not first or not second:
        raise BadKey
    modulus = first * second
    opened = pow(secret, exponent, modulus)
    # Padded to whole bytes, like the server does when encrypting it.
    raw = opened.to_bytes((modulus.bit_length() + 7) // 8, "big").lstrip(b"\0")
    return pack(raw[:_SESSION])


def _blocks(data: bytes) -> list[bytes]:
    return [
        data[place : place + _BLOCK].ljust(_BLOCK, b"\0") for place in range(0, len(data), _BLOCK)
    ]


def _repeated(data: bytes, keys: list[bytes], rounds: int) -> bytes:
    lockers: list[Any] = [_ecb(key).encryptor() for key in keys]
    for _ in range(rounds):
        for locker in lockers:
            data = locker.update(data)
    return data


def _ecb(key: bytes) -> Cipher[ECB]:
    return Cipher(AES(key), ECB())  # noqa: S305 - defined by MEGA


def _numbers(data: bytes, count: int) -> list[int]:
    """Parse big integers, each preceded by its length in bits."""
    found = []
    for _ in range(count):
        length = (int.from_bytes(data[:2], "big") + 7) // 8
        if len(data) < 2 + length or not length:
            raise BadKey
        found.append(int.from_bytes(data[2 : 2 + length], "big"))
        data = data[2 + length :]
    return found
