"""Reads what is known about a track: its tags, or its name and folder if there are none."""

import re

from quartet.media.tagged.types import MusicTrack, TaggedFile

_NUMBER = re.compile(r"\s*(\d{1,4})(?:\s*(?:/|of)\s*(\d{1,4}))?")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
# `CD 2`, `Disc2`: the folder of one disc of an album.
DISC_FOLDER = re.compile(r"(?:cd|dis[ck])[\s._-]*(\d{1,2})", re.I)
# `01 - Title`, `1-01 Title`, `01. Artist - Title`.
_FILE = re.compile(
    r"(?:(?P<disc>\d)-)?(?P<track>\d{1,3})[\s._-]+(?:(?P<artist>.+?) - )?(?P<title>\S.*)"
)
# `Artist - 1999 - Album`, `Artist - Album (1999)`.
_FOLDER = re.compile(
    r"(?P<artist>.+?) - (?:[\[(]?(?P<first>(?:19|20)\d\d)[\])]? - )?"
    r"(?P<album>.+?)(?:\s*[\[(](?P<last>(?:19|20)\d\d)[\])])?(?:\s*[\[(][^\])]*[\])])*"
)
_VARIOUS = frozenset(("various artists", "various", "va", "verschiedene interpreten"))
VARIOUS_ARTISTS = "Various Artists"


def read_track(file: TaggedFile) -> MusicTrack:
    tags = file.tags
    track, _ = _numbers(tags.get("track") or tags.get("tracknumber"))
    disc, discs = _numbers(tags.get("disc") or tags.get("discnumber"))
    total = tags.get("disctotal") or tags.get("totaldiscs")
    folder = DISC_FOLDER.fullmatch(file.folder.rpartition("/")[2])
    found = MusicTrack(
        title=_text(tags, "title"),
        artist=_text(tags, "artist"),
        album=_text(tags, "album"),
        album_artist=_album_artist(tags),
        year=_year(tags),
        track=track,
        disc=disc or (int(folder[1]) if folder else None),
        discs=discs or _numbers(total)[0],
        genre=_text(tags, "genre"),
        compilation=_is_compilation(tags),
        release_id=tags.get("musicbrainz_albumid") or tags.get("musicbrainz album id"),
        recording_id=tags.get("musicbrainz_trackid"),
    )
    return found if found.title and found.album and found.artist else with_name(found, file)


def with_name(track: MusicTrack, file: TaggedFile) -> MusicTrack:
    """Add what the name and its folder say; a person should look at the result."""
    folder = file.folder.split("/")
    album_folder = (
        folder[-2] if DISC_FOLDER.fullmatch(folder[-1]) and len(folder) > 1 else folder[-1]
    )
    name = _FILE.fullmatch(file.stem.replace("_", " "))
    album = _FOLDER.fullmatch(album_folder.replace("_", " "))
    year = (album["first"] or album["last"]) if album else None
    return MusicTrack(
        title=track.title or (name["title"] if name else file.stem),
        artist=track.artist or (name["artist"] if name else None) or (album and album["artist"]),
        album=track.album or (album["album"] if album else None),
        album_artist=track.album_artist or (album["artist"] if album else None),
        year=track.year or (int(year) if year else None),
        track=track.track or (int(name["track"]) if name else None),
        disc=track.disc or (int(name["disc"]) if name and name["disc"] else None),
        discs=track.discs,
        genre=track.genre,
        compilation=track.compilation,
        release_id=track.release_id,
        recording_id=track.recording_id,
        reasons=("name_instead_of_tags",),
    )


def _text(tags: dict[str, str], name: str) -> str | None:
    return tags.get(name, "").strip() or None


def _album_artist(tags: dict[str, str]) -> str | None:
    found = _text(tags, "album_artist") or _text(tags, "albumartist") or _text(tags, "album artist")
    return VARIOUS_ARTISTS if found and found.casefold() in _VARIOUS else found


def _is_compilation(tags: dict[str, str]) -> bool:
    flag = tags.get("compilation") or tags.get("itunescompilation") or ""
    return flag.strip() == "1" or _album_artist(tags) == VARIOUS_ARTISTS


def _numbers(text: str | None) -> tuple[int | None, int | None]:
    match = _NUMBER.match(text or "")
    if not match:
        return None, None
    return int(match[1]) or None, int(match[2]) if match[2] else None


def _year(tags: dict[str, str]) -> int | None:
    """Return the year of the first release if the tags have it."""
    for name in ("originaldate", "originalyear", "tdor", "tory", "date", "year"):
        if match := _YEAR.search(tags.get(name, "")):
            return int(match[0])
    return None
