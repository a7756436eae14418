"""Makes the tracks of one album agree, so that an album has one folder."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar

from msgspec.structs import replace

from quartet.media.catalog.title_folding import fold_title
from quartet.media.naming.types import Facts
from quartet.media.tagged.music_tags import DISC_FOLDER, VARIOUS_ARTISTS
from quartet.media.tagged.types import MusicTrack, TaggedFacts, TaggedFile

T = TypeVar("T")

_SURE = 0.97
_WITHOUT_NUMBER = 0.9
_BY_NAME = 0.6


def album_key(file: TaggedFile, track: MusicTrack) -> tuple[str, str]:
    """Tracks with the same key are of one album: the folders of its discs belong together."""
    folder, _, last = file.folder.rpartition("/")
    top = folder if DISC_FOLDER.fullmatch(last) else file.folder
    return top, fold_title(track.album or "")


def as_album(tracks: Sequence[MusicTrack]) -> list[MusicTrack]:
    """Give all tracks the same artist, title and year of the album, and the number of discs."""
    album = _commonest(track.album for track in tracks)
    year = _commonest(track.year for track in tracks)
    several = len({fold_title(track.artist) for track in tracks if track.artist}) > 1
    compilation = any(track.compilation for track in tracks)
    artist = _commonest(track.album_artist for track in tracks)
    if compilation and (artist is None or artist == VARIOUS_ARTISTS):
        artist = VARIOUS_ARTISTS
    elif artist is None:
        artist = VARIOUS_ARTISTS if several else _commonest(track.artist for track in tracks)
    discs = max(track.discs or track.disc or 1 for track in tracks)
    return [
        replace(
            track,
            album=album,
            album_artist=artist,
            year=year,
            disc=(track.disc or 1) if discs > 1 else None,
            compilation=artist == VARIOUS_ARTISTS,
        )
        for track in tracks
    ]


def facts_of_track(file: TaggedFile, track: MusicTrack) -> TaggedFacts:
    if not (track.title and track.album and track.album_artist):
        return TaggedFacts(None, 0.0, ("tags_missing",))
    facts = Facts(
        kind="music",
        title=track.title,
        episode_titles=(track.title,),
        artist=track.album_artist,
        track_artist=track.artist if track.compilation else None,
        album=track.album,
        year=track.year,
        track=track.track,
        disc=track.disc,
        genre=track.genre,
        extension=file.extension,
        file=file.stem,
    )
    if "name_instead_of_tags" in track.reasons:
        return TaggedFacts(facts, _BY_NAME, track.reasons)
    return TaggedFacts(facts, _SURE if track.track else _WITHOUT_NUMBER, track.reasons)


def _commonest(values: Iterable[T | None]) -> T | None:
    counted = Counter(value for value in values if value is not None)
    return counted.most_common(1)[0][0] if counted else None
