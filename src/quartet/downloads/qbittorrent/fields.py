"""The parameters of a request."""

from collections.abc import Awaitable, Callable, Mapping
from math import isfinite
from typing import Any, NamedTuple

from quartet.downloads.qbittorrent.labels import clean_name
from quartet.kernel.errors import AppError

_TRUE = ("true", "1")
_LARGEST = 2**42


class Fields(NamedTuple):
    """The parameters of a request, and the contents of its files."""

    values: Mapping[str, str]
    files: list[bytes] = []

    def text(self, name: str, default: str = "") -> str:
        return self.values.get(name, default)

    def required(self, name: str) -> str:
        if name not in self.values:
            raise AppError(400, "invalid_request", field=name)
        return self.values[name]

    def number(self, name: str, default: int | None = None) -> int:
        text = self.values.get(name, "")
        if not text and default is not None:
            return default
        if not text.lstrip("-").isdecimal() or len(text) > 18:
            raise AppError(400, "invalid_request", field=name)
        return max(-_LARGEST, min(int(text), _LARGEST))

    def share_limit(self, name: str, factor: int = 1) -> int | None:
        """Return a limit for seeding; -2 means as in the settings, -1 unlimited."""
        try:
            value = float(self.values.get(name) or -2)
        except ValueError:
            raise AppError(400, "invalid_request", field=name) from None
        if value == -2 or not isfinite(value):
            return None
        return -1 if value < 0 else min(round(value * factor), _LARGEST)

    def flag(self, name: str) -> bool:
        return self.values.get(name, "").strip().lower() in _TRUE

    def names(self, name: str, separator: str = ",") -> list[str]:
        parts = (clean_name(part) for part in self.values.get(name, "").split(separator))
        return list(dict.fromkeys(part for part in parts if part))


# The answer is text, or a value that is sent as JSON.
Answer = str | list[Any] | dict[str, Any] | None
Method = Callable[[Fields], Awaitable[Answer]]


def constant(value: Any) -> Method:
    """Return a method that always gives the same answer."""

    async def answer(_fields: Fields) -> Answer:
        answered: Answer = value
        return answered

    return answer
