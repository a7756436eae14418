"""Folders that name no film and no series."""

from quartet.media.names.tables import one_each

SERIES_SHELVES = one_each("series serien shows tv tvshows tv-shows") | {
    "tv shows",
    "tv series",
    "tv serien",
}
# They sort a library; their words are never a title.
SHELVES = SERIES_SHELVES | one_each(
    "movies movie films film filme anime videos video media"
    " downloads download complete completed incoming torrents usenet done new finished unsorted"
    " subs sub subtitles untertitel cd1 cd2 disc1 disc2 dvd1 dvd2"
    " mnt data share home tmp temp c: d: files misc other"
)
# Files with such a name are called like their folder.
NO_TITLES = one_each("file video movie film feature untitled")
# Season 0.
SPECIALS = one_each("specials special extras sonderfolgen s00") | {
    "season 0",
    "season 00",
    "staffel 0",
    "staffel 00",
}
