"""Masks secrets in responses. A masked value sent back keeps the secret."""

from quartet.kernel.notifications import MASK

# Sent instead of a secret to remove it.
CLEAR = "-"


def mask(secret: str) -> str:
    """Show enough to tell two secrets apart, but nothing of a short one."""
    if not secret:
        return ""
    return f"{secret[:4]}{MASK}{secret[-4:]}" if len(secret) >= 16 else MASK
