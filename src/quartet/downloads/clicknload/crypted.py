"""The links in `crypted`."""

import re
from base64 import b64decode

from quartet.kernel.errors import AppError

BLOCK = 16
_LINE_BREAKS = re.compile(r"[\r\n\t]+")


def decrypted(crypted: str, key: bytes) -> str:
    """AES-128-CBC whose first vector is the key; filled up with NULs, or as it came."""
    # Here and not above: most services never meet one, and it takes seven megabytes.
    from cryptography.hazmat.primitives.ciphers import Cipher
    from cryptography.hazmat.primitives.ciphers.algorithms import AES
    from cryptography.hazmat.primitives.ciphers.modes import CBC

    data = _decoded(crypted)
    whole = data[: len(data) - len(data) % BLOCK]
    reader = Cipher(AES(key), CBC(key)).decryptor()
    text = reader.update(whole) + reader.finalize()
    return text.decode("utf-8", "replace").replace("\0", "")


def _decoded(crypted: str) -> bytes:
    # A plus sign that a page did not escape arrives as a blank.
    text = _LINE_BREAKS.sub("", crypted.strip()).replace(" ", "+")
    try:
        return b64decode(text, validate=True)
    except ValueError:
        raise AppError(400, "cnl_not_base64") from None
