import hashlib
import hmac


def signature_headers(key: str, body: bytes) -> dict[str, str]:
    """Return the header by which a recipient recognises our messages; none without a key."""
    if not key:
        return {}
    digest = hmac.new(key.encode(), body, hashlib.sha256).hexdigest()
    return {"X-Quartet-Signature": f"sha256={digest}"}
