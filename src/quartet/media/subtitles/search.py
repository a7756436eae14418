"""Searches subtitles with subliminal. Only imported in the child process, because it is large."""

from typing import Any

from babelfish import Language  # type: ignore[import-untyped]
from subliminal import ProviderPool, region
from subliminal.core import scan_video
from subliminal.providers.opensubtitlescom import OpenSubtitlesComProvider
from subliminal.refiners.hash import hash_opensubtitles
from subliminal.video import Episode, Movie

from quartet.media.subtitles.types import (
    FoundSubtitle,
    SearchRequest,
    SearchResponse,
    WantedVideo,
)

_PROVIDER = "opensubtitlescom"
_SECONDS = 20
_MOST_PAGES = 3
# What a subtitle must have in common with a video if the hash is another. A score would accept
# another episode of the same release.
_NEEDED = {Movie: {"title", "year"}, Episode: {"series", "season", "episode"}}
_MOST_BYTES = 2 * 1024 * 1024


def search(request: SearchRequest) -> SearchResponse:
    """Return the best subtitle for each language of each video, if one is good enough."""
    region.configure("dogpile.cache.memory")
    OpenSubtitlesComProvider.server_url = request.server
    config = {
        "username": request.user,
        "password": request.password,
        "apikey": request.key or None,
        "timeout": _SECONDS,
        "max_result_pages": _MOST_PAGES,
    }
    found: list[FoundSubtitle] = []
    with ProviderPool(providers=[_PROVIDER], provider_configs={_PROVIDER: config}) as pool:
        for wanted in request.videos:
            found += _for_video(pool, wanted)
            if pool.discarded_providers:
                return SearchResponse(found, refused=True)
    return SearchResponse(found)


def _for_video(pool: ProviderPool, wanted: WantedVideo) -> list[FoundSubtitle]:
    # The release name says more than the new name of the file.
    video: Any = scan_video(wanted.path, name=wanted.release)
    if digest := hash_opensubtitles(wanted.path):
        video.hashes[_PROVIDER] = digest
    languages = {Language.fromietf(code): code for code in wanted.languages}
    listed = pool.list_subtitles(video, set(languages))
    fitting = [one for one in listed if _fits(one.get_matches(video), type(video))]
    best = pool.download_best_subtitles(fitting, video, set(languages))
    return [
        FoundSubtitle(wanted.path, languages[one.language], one.text.encode())
        for one in best
        if one.text and one.language in languages and len(one.text) <= _MOST_BYTES
    ]


def _fits(matches: set[str], kind: type[Any]) -> bool:
    return "hash" in matches or _NEEDED[kind] <= matches
