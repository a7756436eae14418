from collections.abc import Sequence

from quartet.media.catalog.title_folding import fold_title
from quartet.media.match.types import OverrideKey
from quartet.media.names.types import Parsed
from quartet.media.types import Kind


def kind_of(parsed: Parsed) -> Kind:
    return "series" if parsed.kind.value == "episode" else "movie"


def override_key(parsed: Parsed, kind: Kind) -> OverrideKey:
    title = f"{parsed.title or ''} {parsed.country or ''}"
    return OverrideKey(kind, fold_title(title), parsed.year or 0)


def group_by_search(items: Sequence[Parsed]) -> list[list[int]]:
    """Group the indexes of items with the same kind, title, year, country and ids."""
    groups: dict[object, list[int]] = {}
    for index, parsed in enumerate(items):
        titles = tuple(fold_title(title) for title in (parsed.title or "", *parsed.other_titles))
        key = (parsed.kind.value, titles, parsed.year, parsed.country, parsed.ids)
        groups.setdefault(key, []).append(index)
    return list(groups.values())
