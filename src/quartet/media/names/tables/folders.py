"""Folder names that are not the title of a movie or series."""

from quartet.media.names.tables import word_set

SERIES_SHELVES = word_set("series serien shows tv tvshows tv-shows") | {
    "tv shows",
    "tv series",
    "tv serien",
}
# Folders that organise a library; never a title.
SHELVES = SERIES_SHELVES | word_set(
    "movies movie films film filme anime videos video media"
    " downloads download complete completed incoming torrents usenet done new finished unsorted"
    " subs sub subtitles untertitel cd1 cd2 disc1 disc2 dvd1 dvd2"
    " mnt data share home tmp temp c: d: files misc other"
)
# Generic file names; the title comes from the folder.
NO_TITLES = word_set("file video movie film feature untitled")
# Season 0.
SPECIALS = word_set("specials special extras sonderfolgen s00") | {
    "season 0",
    "season 00",
    "staffel 0",
    "staffel 00",
}
