"""Name formats for the common media servers."""

from quartet.media.naming.types import Format

_MOVIE = "{n}{?y} ({y}){/}"
_SHOW = "{n}{?y} ({y}){/}"
_SEASON = "{?s}Season {s00}/{/}"
_EPISODE = "{?e}{s00e00}{/}{!e}{?absolute}{abs}{/}{!absolute}{d}{/}{/}"

_PLEX_ID = r"{?tmdb} \{tmdb-{tmdb}\}{/}"
_PLEX_EDITION = r"{?edition} \{edition-{edition}\}{/}"
_PLEX_FOLDER = f"{_MOVIE}{_PLEX_ID}{_PLEX_EDITION}"

PRESETS = (
    Format(
        "plex-movie",
        "Plex",
        "movie",
        f"{_PLEX_FOLDER}/{_PLEX_FOLDER}{{?part}} - pt{{part}}{{/}}",
        built_in=True,
    ),
    Format(
        "plex-series",
        "Plex",
        "series",
        rf"{_SHOW}{{?tvdb}} \{{tvdb-{{tvdb}}\}}{{/}}/{_SEASON}"
        f"{_SHOW} - {_EPISODE}{{?t}} - {{t}}{{/}}",
        built_in=True,
    ),
    Format(
        "jellyfin-movie",
        "Jellyfin",
        "movie",
        f"{_MOVIE}{{?tmdb}} [tmdbid-{{tmdb}}]{{/}}/{_MOVIE}{{?tmdb}} [tmdbid-{{tmdb}}]{{/}}"
        "{?edition} - {edition}{/}{?part}-part{part}{/}",
        built_in=True,
    ),
    Format(
        "jellyfin-series",
        "Jellyfin",
        "series",
        f"{_SHOW}{{?tvdb}} [tvdbid-{{tvdb}}]{{/}}/{_SEASON}{{n}} {_EPISODE}{{?t}} {{t}}{{/}}",
        built_in=True,
    ),
    Format(
        "emby-movie",
        "Emby",
        "movie",
        f"{_MOVIE}{{?tmdb}} [tmdbid={{tmdb}}]{{/}}/{_MOVIE}"
        "{?edition} - {edition}{/}{?part}-part{part}{/}",
        built_in=True,
    ),
    Format(
        "emby-series",
        "Emby",
        "series",
        f"{_SHOW}{{?tvdb}} [tvdbid={{tvdb}}]{{/}}/{_SEASON}{{n}} - {_EPISODE}{{?t}} - {{t}}{{/}}",
        built_in=True,
    ),
    Format(
        "kodi-movie",
        "Kodi",
        "movie",
        f"{_MOVIE}/{_MOVIE}{{?edition}} - {{edition}}{{/}}{{?part}} part{{part}}{{/}}",
        built_in=True,
    ),
    Format(
        "kodi-series",
        "Kodi",
        "series",
        f"{_SHOW}/{_SEASON}{{n}} {_EPISODE}{{?t}} - {{t}}{{/}}",
        built_in=True,
    ),
    Format(
        "albums",
        "Artist/Album",
        "music",
        "{artist}/{album}{?y} ({y}){/}/{?disc}Disc {disc}/{/}{?track}{track} - {/}"
        "{?trackartist}{trackartist} - {/}{t}",
        built_in=True,
    ),
    Format(
        "tracks",
        "Artist - Album",
        "music",
        "{artist} - {album}{?y} ({y}){/}/{?disc}{disc}-{/}{?track}{track}. {/}"
        "{?trackartist}{trackartist} - {/}{t}",
        built_in=True,
    ),
    Format(
        "months",
        "2024/2024-05",
        "photos",
        "{y}/{y}-{month}/{y}-{month}-{day} {time}{?part}-{part}{/}",
        built_in=True,
    ),
    Format(
        "days",
        "2024/2024-05-31",
        "photos",
        "{y}/{y}-{month}-{day}/{file}{?part}-{part}{/}",
        built_in=True,
    ),
)
