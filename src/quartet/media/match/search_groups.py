import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from quartet.media.catalog.title_folding import fold_title
from quartet.media.match.types import OverrideKey
from quartet.media.names.types import Guess, Parsed
from quartet.media.types import Kind

# What fansubs and streaming services call a season or its specials, and catalogs do not.
_LABEL = re.compile(
    r"(?<=\w)(?: -|:)? (?:OVA|OAD|ONA|OAV|Specials?|(?:Part|Cour|Book|Volume) \d+"
    r"|\d(?:st|nd|rd|th) Cour)$",
    re.I,
)
# Without the label the numbers may mean something else, so a person must confirm.
_WITHOUT_LABEL = 0.3


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
        # Other readings are searched too if the likeliest title is not found.
        others = tuple((other.kind, other.title) for other in parsed.other_readings)
        key = (parsed.kind.value, titles, parsed.year, parsed.country, parsed.ids, others)
        groups.setdefault(key, []).append(index)
    return list(groups.values())


def other_titles(parsed: Parsed) -> Iterator[Parsed]:
    """Yield the name as its other readings have it."""
    for other in parsed.other_readings:
        named_by_folder = other.kind == "episode" and not (
            other.seasons or other.episodes or other.date
        )
        same = (other.kind, other.title) == (parsed.kind.value, parsed.title)
        if other.title and not same and not named_by_folder:
            yield replace(
                parsed,
                kind=Guess(other.kind, parsed.kind.confidence),
                title=other.title,
                other_titles=(),
                other_readings=(),
            )
    if parsed.title and parsed.year:
        # `Space.1999.S01E01`: what looks like the year may end the title.
        whole = f"{parsed.title} {parsed.year}"
        yield replace(parsed, title=whole, year=None, other_titles=(), other_readings=())
    if short := without_label(parsed):
        yield replace(
            parsed,
            kind=Guess("episode", _WITHOUT_LABEL),
            title=short,
            other_titles=(),
            other_readings=(),
        )


def without_label(parsed: Parsed) -> str | None:
    """Return the title of a series without a label such as `OVA`, if it has one."""
    title = parsed.title or ""
    short = _LABEL.sub("", title) if parsed.kind.value == "episode" else title
    return short if short != title else None
