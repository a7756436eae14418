"""The VAPID key that identifies this server to push services."""

import time
from base64 import urlsafe_b64encode
from collections.abc import Callable
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

from quartet.kernel.files import Root, write_atomic

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

KEY_FILE = "vapid.pem"
# Push services accept at most 24 hours; shorter because clocks differ.
_TOKEN_SECONDS = 12 * 3600
_REUSED_SECONDS = 3600


class VapidKey:
    """The VAPID key, created at first use and stored in a file.

    Its methods block, so call them from a thread. `renewed` is called with each new key.
    """

    def __init__(
        self, folder: Path, contact: str, renewed: Callable[[bytes], None] = lambda _key: None
    ) -> None:
        self._folder = folder
        self._contact = contact
        self._renewed = renewed
        self._key: EllipticCurvePrivateKey | None = None
        self._tokens: dict[str, tuple[float, str]] = {}
        # Prevents two threads from creating a key each.
        self._lock = RLock()

    def public(self) -> str:
        """Return the public key for browsers: the uncompressed point in base64url."""
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        point = self._private().public_key()
        raw = point.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return urlsafe_b64encode(raw).rstrip(b"=").decode()

    def authorization(self, origin: str) -> str:
        """Return the Authorization header for a push service."""
        from py_vapid import Vapid02  # type: ignore[import-untyped]

        now = time.time()
        with self._lock:
            made, token = self._tokens.get(origin, (0.0, ""))
            if now - made > _REUSED_SECONDS:
                claims = {"aud": origin, "sub": self._contact, "exp": int(now) + _TOKEN_SECONDS}
                token = str(Vapid02(self._private()).sign(claims)["Authorization"])
                self._forget_old(now)
                self._tokens[origin] = (now, token)
            return token

    def renew(self) -> None:
        """Create a new key; subscriptions made with the old key become invalid."""
        with self._lock:
            self._key = self._create()
            self._tokens.clear()
        self._renewed((self._folder / KEY_FILE).read_bytes())

    def read_again(self) -> None:
        """Read the key file again after another process has changed it."""
        with self._lock:
            self._key = None
            self._tokens.clear()

    def _private(self) -> "EllipticCurvePrivateKey":
        with self._lock:
            if self._key is None:
                self._key = self._read() or self._create()
            return self._key

    def _read(self) -> "EllipticCurvePrivateKey | None":
        from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        try:
            text = (self._folder / KEY_FILE).read_bytes()
        except FileNotFoundError:
            return None
        key = load_pem_private_key(text, password=None)
        if not isinstance(key, EllipticCurvePrivateKey):
            raise ValueError(f"{KEY_FILE} is not an elliptic curve key")
        return key

    def _create(self) -> "EllipticCurvePrivateKey":
        from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
        from cryptography.hazmat.primitives.serialization import (
            Encoding,
            NoEncryption,
            PrivateFormat,
        )

        key = generate_private_key(SECP256R1())
        text = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomic(Root(self._folder), KEY_FILE, text, mode=0o600)
        return key

    def _forget_old(self, now: float) -> None:
        self._tokens = {
            origin: kept for origin, kept in self._tokens.items() if now - kept[0] < _REUSED_SECONDS
        }
