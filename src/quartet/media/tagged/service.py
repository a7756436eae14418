import logging
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from quartet.kernel.errors import AppError
from quartet.kernel.service import Kernel
from quartet.media.catalog.provider_client import ProviderClient
from quartet.media.catalog.service import DatabaseCache
from quartet.media.catalog.title_folding import fold_title
from quartet.media.options.service import OptionsService
from quartet.media.options.types import Options
from quartet.media.roots.path_encoding import decode_path
from quartet.media.tagged import acoustid, musicbrainz
from quartet.media.tagged.acoustid import AcoustId
from quartet.media.tagged.albums import album_key, as_album, facts_of_track
from quartet.media.tagged.music_tags import read_track
from quartet.media.tagged.musicbrainz import AlbumRelease, MusicBrainz
from quartet.media.tagged.types import MusicTrack, TaggedFacts, TaggedFile
from quartet.media.types import LookupName

log = logging.getLogger("quartet.media.tagged")

_ENDPOINTS: dict[LookupName, tuple[str, float]] = {
    "musicbrainz": (musicbrainz.ADDRESS, musicbrainz.PER_SECOND),
    "acoustid": (acoustid.ADDRESS, acoustid.PER_SECOND),
}


class Music:
    """Collects the values for the names of music, from tags and from what the user allows."""

    def __init__(self, kernel: Kernel[Any], options: OptionsService, *, demo: bool) -> None:
        self._kernel = kernel
        self._options = options
        self._demo = demo
        self._cache = DatabaseCache(kernel.db)
        self._clients: dict[tuple[LookupName, str], ProviderClient] = {}

    async def facts(self, files: Sequence[TaggedFile]) -> list[TaggedFacts]:
        """Return the values in the order of the files, which should contain whole albums."""
        options = await self._options.current()
        tracks = [await self._recognised(file, read_track(file), options) for file in files]
        albums: dict[tuple[str, str], list[int]] = {}
        for index, (file, track) in enumerate(zip(files, tracks, strict=True)):
            albums.setdefault(album_key(file, track), []).append(index)
        for indexes in albums.values():
            agreed = as_album([tracks[index] for index in indexes])
            completed = await self._completed(agreed, options)
            for index, track in zip(indexes, completed, strict=True):
                tracks[index] = track
        return [facts_of_track(file, track) for file, track in zip(files, tracks, strict=True)]

    async def _recognised(
        self, file: TaggedFile, track: MusicTrack, options: Options
    ) -> MusicTrack:
        """Recognise a track without tags by its sound, if the user has a key."""
        if "name_instead_of_tags" not in track.reasons or not options.keys.acoustid or self._demo:
            return track
        service = AcoustId(self._client("acoustid", options), options.keys.acoustid)
        try:
            found = await service.recognise(decode_path(file.path))
        except AppError as error:
            log.warning("AcoustID did not answer: %s", error)
            return track
        return found if found and found.title and found.album and found.artist else track

    async def _completed(self, tracks: list[MusicTrack], options: Options) -> list[MusicTrack]:
        """Add what the tags of an album lack; what they have stays as it is."""
        first = tracks[0]
        whole = all(track.year and track.track for track in tracks)
        if whole or not first.album or not options.musicbrainz or self._demo:
            return tracks
        service = MusicBrainz(self._client("musicbrainz", options))
        try:
            id = first.release_id or await service.search(first.album_artist or "", first.album)
            release = await service.release(id) if id else None
        except AppError as error:
            log.warning("MusicBrainz did not answer: %s", error)
            return tracks
        return [_with_release(track, release) for track in tracks] if release else tracks

    def _client(self, name: LookupName, options: Options) -> ProviderClient:
        """Reuse the client, because it limits the request rate."""
        default_address, per_second = _ENDPOINTS[name]
        address = options.addresses.get(name, default_address)
        if (name, address) not in self._clients:
            self._clients[name, address] = ProviderClient(
                name, address, self._kernel.outbound, self._cache, per_second
            )
        return self._clients[name, address]


def _with_release(track: MusicTrack, release: AlbumRelease) -> MusicTrack:
    places = [(medium.position, one) for medium in release.media for one in medium.tracks]
    place = next(
        (
            (disc, one)
            for disc, one in places
            if (one.recording and one.recording.id == track.recording_id)
            or fold_title(one.title) == fold_title(track.title or "")
        ),
        None,
    )
    several = len(release.media) > 1
    return replace(
        track,
        year=track.year or release.year,
        track=track.track or (place[1].position if place else None),
        disc=track.disc or (place[0] if place and several else None),
        reasons=(*track.reasons, "by_musicbrainz"),
    )
