"""Decrypts the links of Click'n'Load."""

import re
from base64 import b64decode

from quartet.downloads import aes
from quartet.kernel.errors import AppError

_LINE_BREAKS = re.compile(r"[\r\n\t]+")


def decrypted(crypted: str, key: bytes) -> str:
    """Decrypt AES-128-CBC with the key as initialisation vector; zero padding is removed."""
    text = aes.decrypted(_decoded(crypted), key, key)
    return text.decode("utf-8", "replace").replace("\0", "")


def _decoded(crypted: str) -> bytes:
    # A plus sign that a page did not escape arrives as a space.
    text = _LINE_BREAKS.sub("", crypted.strip()).replace(" ", "+")
    try:
        return b64decode(text, validate=True)
    except ValueError:
        raise AppError(400, "cnl_not_base64") from None
