"""What the child process is asked, and its response."""

import msgspec


class WantedVideo(msgspec.Struct, frozen=True):
    """A video, its release name, and the languages it lacks."""

    path: str
    release: str
    languages: tuple[str, ...]


class SearchRequest(msgspec.Struct, frozen=True, kw_only=True):
    server: str
    user: str
    password: str
    key: str
    videos: tuple[WantedVideo, ...]


class FoundSubtitle(msgspec.Struct, frozen=True):
    path: str
    language: str
    content: bytes


class SearchResponse(msgspec.Struct, frozen=True):
    """`refused` is True if the provider accepts no more requests for now."""

    found: list[FoundSubtitle]
    refused: bool = False
