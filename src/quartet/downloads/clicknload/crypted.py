"""The links in `crypted`."""

import re
from base64 import b64decode

from quartet.downloads import aes
from quartet.kernel.errors import AppError

_LINE_BREAKS = re.compile(r"[\r\n\t]+")


def decrypted(crypted: str, key: bytes) -> str:
    """AES-128-CBC whose first vector is the key; filled up with NULs, or as it came."""
    text = aes.decrypted(_decoded(crypted), key, key)
    return text.decode("utf-8", "replace").replace("\0", "")


def _decoded(crypted: str) -> bytes:
    # A plus sign that a page did not escape arrives as a blank.
    text = _LINE_BREAKS.sub("", crypted.strip()).replace(" ", "+")
    try:
        return b64decode(text, validate=True)
    except ValueError:
        raise AppError(400, "cnl_not_base64") from None
