"""MusicBrainz: albums with their tracks, without a key."""

import msgspec

from quartet.media.catalog.provider_client import SEARCH_AGE, ProviderClient, year_in

ADDRESS = "https://musicbrainz.org"
PER_SECOND = 1
_LEAST_SCORE = 90
_SPECIAL = str.maketrans({'"': " ", "\\": " "})


class _Credit(msgspec.Struct, frozen=True):
    name: str


class _MusicbrainzRecording(msgspec.Struct, frozen=True):
    id: str
    title: str = ""


class _TrackOf(msgspec.Struct, frozen=True):
    position: int
    title: str
    recording: _MusicbrainzRecording | None = None


class _MusicbrainzMedium(msgspec.Struct, frozen=True):
    position: int = 1
    tracks: list[_TrackOf] = []


class _Group(msgspec.Struct, frozen=True, rename="kebab"):
    first_release_date: str | None = None


class AlbumRelease(msgspec.Struct, frozen=True, rename="kebab"):
    id: str
    title: str
    date: str | None = None
    score: int = 0
    artist_credit: list[_Credit] = []
    release_group: _Group = _Group()
    media: list[_MusicbrainzMedium] = []

    @property
    def artist(self) -> str | None:
        return " & ".join(credit.name for credit in self.artist_credit) or None

    @property
    def year(self) -> int | None:
        return year_in(self.release_group.first_release_date) or year_in(self.date)


class _Found(msgspec.Struct, frozen=True):
    releases: list[AlbumRelease] = []


class MusicBrainz:
    def __init__(self, client: ProviderClient) -> None:
        self._client = client

    async def release(self, id: str) -> AlbumRelease | None:
        query = {"fmt": "json", "inc": "recordings+artist-credits+release-groups"}
        if not id.replace("-", "").isalnum():
            return None
        return await self._client.fetch(f"/ws/2/release/{id}", AlbumRelease, query=query)

    async def search(self, artist: str, album: str) -> str | None:
        """Return the id of the album if one fits well."""
        wanted = f'release:"{album.translate(_SPECIAL)}" AND artist:"{artist.translate(_SPECIAL)}"'
        found = await self._client.fetch(
            "/ws/2/release",
            _Found,
            query={"fmt": "json", "limit": "5", "query": wanted},
            age=SEARCH_AGE,
        )
        best = max(found.releases, key=lambda one: one.score, default=None) if found else None
        return best.id if best and best.score >= _LEAST_SCORE else None
