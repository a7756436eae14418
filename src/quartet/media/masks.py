"""How secrets are shown; sent back like that they stay as they are."""

from quartet.kernel.notifications import MASK

# Sent instead of a secret, it removes the one that is there.
CLEAR = "-"


def mask(secret: str) -> str:
    """Enough to tell two apart; of a short one nothing."""
    if not secret:
        return ""
    return f"{secret[:4]}{MASK}{secret[-4:]}" if len(secret) >= 16 else MASK
