"""Settings that admins change while the service runs."""

import time
from collections.abc import Callable
from typing import Any

import msgspec

from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.wind.site import store
from quartet.wind.site.types import BothLanguages, MapSpots, Site, SiteOptions, StoredSetting

# How long a change by another process may go unnoticed.
CACHE_SECONDS = 5.0
_FIELDS = {field.name: field for field in msgspec.structs.fields(SiteOptions)}


class SiteSettings:
    """Site settings; `defaults` depend on the installation, for example the demo is open."""

    def __init__(
        self,
        db: Database,
        defaults: SiteOptions | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._db = db
        self.defaults = defaults or SiteOptions()
        self._clock = clock
        self._cached: SiteOptions | None = None
        self._read_at = 0.0
        self._changes = 0
        # Run in the transaction of a change, with the key and the new value.
        self.change_hooks: list[Callable[[Tx, str, Any], None]] = []

    async def get(self) -> SiteOptions:
        now = self._clock()
        if self._cached is not None and 0 <= now - self._read_at < CACHE_SECONDS:
            return self._cached
        changes = self._changes
        options = self._with(await self._db.read(store.stored))
        # Do not cache values that were changed during the read.
        if changes == self._changes:
            self._cached, self._read_at = options, now
        return options

    async def stored(self) -> dict[str, StoredSetting]:
        return await self._db.read(store.stored)

    async def set(self, key: str, value: Any, by: int | None = None) -> None:
        """Store a setting; `value` is the decoded JSON."""
        checked = checked_value(key, value)
        row = StoredSetting(key, msgspec.to_builtins(checked), int(self._clock()), by)

        def work(tx: Tx) -> None:
            store.replace(tx.conn, row)
            for hook in self.change_hooks:
                hook(tx, key, checked)
            tx.after_commit(self._forget)

        await self._db.write(work)

    async def reset(self, key: str) -> None:
        """Reset a setting to its default."""
        field_of(key)
        default = getattr(self.defaults, key)

        def work(tx: Tx) -> None:
            store.remove(tx.conn, key)
            for hook in self.change_hooks:
                hook(tx, key, default)
            tx.after_commit(self._forget)

        await self._db.write(work)

    async def shown(self, *, mail: bool) -> Site:
        options = await self.get()
        notice = both(options.notice_de, options.notice_en)
        return Site(
            options.account_mode,
            both(options.imprint_de, options.imprint_en) is not None,
            both(options.privacy_de, options.privacy_en) is not None,
            mail,
            notice,
        )

    def _with(self, rows: dict[str, StoredSetting]) -> SiteOptions:
        values = {}
        for key, row in rows.items():
            try:
                values[key] = checked_value(key, row.value)
            except AppError:
                # Written by another version; use the default.
                continue
        return msgspec.structs.replace(self.defaults, **values)

    def _forget(self) -> None:
        self._changes += 1
        self._cached = None


def both(german: str, english: str) -> BothLanguages | None:
    """Return the text in both languages, using one for the other if it is missing."""
    if not german and not english:
        return None
    return BothLanguages(german or english, english or german)


def field_of(key: str) -> msgspec.structs.FieldInfo:
    if key not in _FIELDS:
        raise AppError(404, "unknown_setting", key=key[:80])
    return _FIELDS[key]


def checked_value(key: str, value: Any) -> Any:
    kind = field_of(key).type
    if isinstance(value, str):
        value = _plain(value)
    try:
        return _tidy(msgspec.convert(value, kind))
    except msgspec.ValidationError:
        raise AppError(400, "invalid_setting", key=key) from None


def _tidy(value: Any) -> Any:
    """Round coordinates to hundredths of a degree, as in the rest of the service."""
    if not isinstance(value, list):
        return value
    if all(isinstance(each, str) for each in value):
        return list(dict.fromkeys(value))
    spots = [(_plain(each.name), round(each.lat, 2), round(each.lon, 2)) for each in value]
    rounded = [{"name": name, "lat": lat + 0.0, "lon": lon + 0.0} for name, lat, lon in spots]
    return msgspec.convert(rounded, MapSpots)


def _plain(text: str) -> str:
    """Normalise line ends and remove unprintable characters."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(each for each in text if each in "\n\t" or each.isprintable()).strip()
