"""Admin page: the site settings, each with type, default and limits."""

from typing import Any, Literal

import msgspec
from msgspec import inspect

from quartet.wind.site.service import SiteSettings, field_of
from quartet.wind.site.types import SiteOptions, StoredSetting


class Limits(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """`max_length`: characters of a text, or entries of a list; `choices` are its entries."""

    min: int | None = None
    max: int | None = None
    max_length: int | None = None
    choices: list[str] | None = None


class Setting(msgspec.Struct, frozen=True, rename="camel"):
    """`changed_at` and `changed_by` (an account id) are null while the default applies."""

    key: str
    type: Literal["choice", "choices", "number", "text", "places"]
    default: Any
    value: Any
    limits: Limits
    changed_at: int | None
    changed_by: int | None


class SettingList(msgspec.Struct, frozen=True):
    settings: list[Setting]


class NewValue(msgspec.Struct, frozen=True):
    value: Any


class AdminSettings:
    def __init__(self, site: SiteSettings) -> None:
        self._site = site

    async def list(self) -> list[Setting]:
        values, stored = await self._site.get(), await self._site.stored()
        return [
            _setting(field, self._site.defaults, values, stored.get(field.name))
            for field in inspect.type_info(SiteOptions).fields  # type: ignore[attr-defined]
        ]

    async def get(self, key: str) -> Setting:
        field_of(key)
        return next(each for each in await self.list() if each.key == key)

    async def set(self, key: str, value: Any, by: int) -> Setting:
        await self._site.set(key, value, by)
        return await self.get(key)

    async def reset(self, key: str) -> Setting:
        await self._site.reset(key)
        return await self.get(key)


def _setting(
    field: inspect.Field, defaults: SiteOptions, values: SiteOptions, stored: StoredSetting | None
) -> Setting:
    kind, limits = _kind(field.type)
    return Setting(
        key=field.name,
        type=kind,
        default=getattr(defaults, field.name),
        value=getattr(values, field.name),
        limits=limits,
        changed_at=stored.changed_at if stored else None,
        changed_by=stored.changed_by if stored else None,
    )


def _kind(info: inspect.Type) -> tuple[Any, Limits]:
    match info:
        case inspect.LiteralType():
            return "choice", Limits(choices=sorted(str(each) for each in info.values))
        case inspect.IntType():
            return "number", Limits(min=info.ge, max=info.le)
        case inspect.StrType():
            return "text", Limits(max_length=info.max_length)
        case inspect.ListType(item_type=inspect.LiteralType(values=values)):
            return "choices", Limits(choices=sorted(str(each) for each in values))
        case inspect.ListType():
            return "places", Limits(max_length=info.max_length)
    raise msgspec.ValidationError(f"no kind of setting: {info}")
