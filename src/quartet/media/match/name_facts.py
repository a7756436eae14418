"""Collects the values for a new name.

Content takes precedence over the catalog, then the old name.
"""

from quartet.media.match.types import Match
from quartet.media.names.types import Ids, Parsed
from quartet.media.naming.types import Facts
from quartet.media.probe.types import Probed


def name_facts(parsed: Parsed, match: Match, probed: Probed | None = None) -> Facts | None:
    """Return None if the file has no match."""
    best = match.best
    if best is None:
        return None
    release, seen, ids = parsed.release, probed or Probed(), best.ids
    sound = seen.audio[0] if seen.audio else None
    episodes = match.episodes
    spoken = tuple(dict.fromkeys(track.language for track in seen.audio if track.language))
    return Facts(
        kind=best.kind,
        title=best.title,
        original=best.original_title,
        year=best.year or parsed.year,
        season=episodes[0].season if episodes else _season(parsed),
        episodes=tuple(each.episode for each in episodes) or parsed.episodes,
        absolute=_absolute(parsed, match),
        episode_titles=tuple(each.title for each in episodes),
        date=_date(parsed, match),
        part=parsed.part,
        edition=parsed.edition,
        resolution=seen.resolution or release.resolution,
        source=release.source,
        video_codec=seen.video_codec or release.video_codec,
        audio_codec=(sound.codec if sound else None) or release.audio_codec,
        audio_channels=(sound.layout if sound else None) or release.audio_channels,
        hdr=seen.hdr or release.hdr,
        group=release.group,
        languages=spoken or release.languages,
        provider=best.provider,
        id=best.id,
        imdb=ids.imdb,
        tmdb=_number(ids, "tmdb"),
        tvdb=_number(ids, "tvdb"),
        rating=best.rating,
        collection=best.collection,
        genre=best.genres[0] if best.genres else None,
        extension=parsed.extension or "",
    )


def _season(parsed: Parsed) -> int | None:
    special = parsed.special and parsed.season is None and bool(parsed.episodes)
    return 0 if special else parsed.season


def _absolute(parsed: Parsed, match: Match) -> tuple[int, ...]:
    counted = tuple(each.absolute for each in match.episodes if each.absolute)
    return counted or (() if parsed.absolute is None else (parsed.absolute,))


def _date(parsed: Parsed, match: Match) -> str | None:
    if parsed.date:
        return parsed.date.isoformat()
    return match.episodes[0].air_date if match.episodes else None


def _number(ids: Ids, name: str) -> str | None:
    value = getattr(ids, name)
    return None if value is None else str(value)
