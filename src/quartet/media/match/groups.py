from collections.abc import Sequence

from quartet.media.catalog.titles import folded
from quartet.media.catalog.types import Kind
from quartet.media.match.types import OverrideKey
from quartet.media.names.types import Parsed


def kind_of(parsed: Parsed) -> Kind:
    return "series" if parsed.kind.value == "episode" else "movie"


def override_key(parsed: Parsed, kind: Kind) -> OverrideKey:
    title = f"{parsed.title or ''} {parsed.country or ''}"
    return OverrideKey(kind, folded(title), parsed.year or 0)


def grouped(items: Sequence[Parsed]) -> list[list[int]]:
    """Places of items that one search answers: the same kind, title, year, country and ids."""
    groups: dict[object, list[int]] = {}
    for place, parsed in enumerate(items):
        titles = tuple(folded(title) for title in (parsed.title or "", *parsed.other_titles))
        key = (parsed.kind.value, titles, parsed.year, parsed.country, parsed.ids)
        groups.setdefault(key, []).append(place)
    return list(groups.values())
