"""Parses the status line and the headers of a response."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from quartet.kernel.errors import AppError
from quartet.kernel.retry_after import retry_after

LARGEST_HEAD = 256 * 1024
_LONGEST_WAIT = 86_400.0

_CONTENT_RANGE = re.compile(r"bytes\s+(\d{1,18})-(\d{1,18})/(\d{1,18}|\*)", re.IGNORECASE)
_UNSATISFIED = re.compile(r"bytes\s+\*/(\d{1,18})", re.IGNORECASE)
_FTP_SIZE = re.compile(rb"213 (\d{1,18})\s*$")
_REDIRECTS = (301, 302, 303, 307, 308)


@dataclass(frozen=True)
class ContentRange:
    start: int
    end: int
    total: int | None


@dataclass
class ResponseHead:
    """The head of the final response; interim responses (100, 103) are discarded."""

    status: int = 0
    ftp_size: int | None = None
    fields: dict[str, str] = field(default_factory=dict)
    _read: int = 0

    def feed(self, lines: Iterable[bytes]) -> bool:
        """Add the next lines; return True once they end the head of the final response."""
        for line in lines:
            self._read += len(line)
            if self._read > LARGEST_HEAD:
                raise AppError(502, "bad_headers")
            if line.startswith(b"HTTP/"):
                self.status, self.fields = _status(line), {}
            elif line.startswith(b"213 ") and (found := _FTP_SIZE.match(line)):
                self.ftp_size = int(found[1])
            elif line.isspace():
                if self.status >= 200:
                    return True
            else:
                name, colon, value = line.decode("latin-1").partition(":")
                if colon:
                    # Keep the first value; a duplicate may be an attempt to contradict it.
                    self.fields.setdefault(name.strip().lower(), value.strip())
        return False

    def get(self, name: str) -> str | None:
        return self.fields.get(name)

    @property
    def redirects(self) -> bool:
        return self.status in _REDIRECTS and "location" in self.fields

    @property
    def length(self) -> int | None:
        text = self.fields.get("content-length", "")
        return int(text) if text.isdecimal() and len(text) <= 18 else None

    @property
    def range(self) -> ContentRange | None:
        """Return the Content-Range, or None if it is missing or inconsistent."""
        found = _CONTENT_RANGE.fullmatch(self.fields.get("content-range", ""))
        if not found:
            return None
        start, end = int(found[1]), int(found[2]) + 1
        total = None if found[3] == "*" else int(found[3])
        if end <= start or (total is not None and end > total):
            return None
        if self.length is not None and self.length != end - start:
            return None
        return ContentRange(start, end, total)

    @property
    def unsatisfied_total(self) -> int | None:
        """Return the file size from a 416 response."""
        found = _UNSATISFIED.fullmatch(self.fields.get("content-range", ""))
        return int(found[1]) if found else None

    @property
    def etag(self) -> str | None:
        text = self.fields.get("etag", "")
        return text if 2 < len(text) <= 1024 and text.endswith('"') else None

    @property
    def modified(self) -> str | None:
        text = self.fields.get("last-modified", "")
        return text if 0 < len(text) <= 64 else None

    @property
    def kind(self) -> str:
        return self.fields.get("content-type", "").split(";")[0].strip().lower()

    @property
    def retry_after(self) -> float | None:
        # MEGA uses its own header.
        header = self.fields.get("retry-after") or self.fields.get("x-mega-time-left", "")
        seconds = retry_after({"Retry-After": header})
        return None if seconds is None else min(seconds, _LONGEST_WAIT)


def _status(line: bytes) -> int:
    words = line.split(None, 2)
    return int(words[1]) if len(words) > 1 and words[1][:3].isdigit() else 0
