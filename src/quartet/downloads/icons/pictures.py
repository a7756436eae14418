"""Recognises pictures by their content, because servers often declare a wrong type."""

# SVG is not in this list, because it may contain scripts.
_BEGINNINGS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\x00\x00\x01\x00": "image/x-icon",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
    b"\xff\xd8\xff": "image/jpeg",
}


def media_type(content: bytes) -> str | None:
    """Return the type of a picture, or None for anything else."""
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in _BEGINNINGS.items() if content.startswith(start)), None)
