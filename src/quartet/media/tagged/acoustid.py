"""AcoustID: recognises a track by its sound, with the program `fpcalc` and a key."""

import asyncio
import shutil
from asyncio.subprocess import DEVNULL, PIPE

import msgspec

from quartet.media.catalog.provider_client import ProviderClient
from quartet.media.tagged.types import MusicTrack

ADDRESS = "https://api.acoustid.org"
PER_SECOND = 3
PROGRAM = "fpcalc"
_SECONDS = 60
_LEAST_SCORE = 0.8


class _Fingerprint(msgspec.Struct, frozen=True):
    duration: float
    fingerprint: str


class _Artist(msgspec.Struct, frozen=True):
    name: str


class _AcoustidDate(msgspec.Struct, frozen=True):
    year: int | None = None


class _Position(msgspec.Struct, frozen=True):
    position: int


class _AcoustidMedium(msgspec.Struct, frozen=True):
    position: int = 1
    tracks: list[_Position] = []


class _Release(msgspec.Struct, frozen=True):
    id: str
    title: str | None = None
    date: _AcoustidDate = _AcoustidDate()
    artists: list[_Artist] = []
    medium_count: int = 1
    mediums: list[_AcoustidMedium] = []


class _AcoustidRecording(msgspec.Struct, frozen=True):
    id: str
    title: str | None = None
    artists: list[_Artist] = []
    releases: list[_Release] = []


class _Result(msgspec.Struct, frozen=True):
    score: float
    recordings: list[_AcoustidRecording] = []


class _Answer(msgspec.Struct, frozen=True):
    results: list[_Result] = []


class AcoustId:
    def __init__(self, client: ProviderClient, key: str) -> None:
        self._client = client
        self._key = key

    async def recognise(self, path: str) -> MusicTrack | None:
        """Return the track, or None if the program is missing or no result is good enough."""
        heard = await fingerprint(path)
        if heard is None:
            return None
        query = {
            "format": "json",
            "meta": "recordings releases tracks",
            "duration": str(round(heard.duration)),
            "fingerprint": heard.fingerprint,
        }
        answer = await self._client.fetch(
            "/v2/lookup", _Answer, query=query, secrets={"client": self._key}
        )
        best = max(answer.results, key=lambda one: one.score, default=None) if answer else None
        if best is None or best.score < _LEAST_SCORE or not best.recordings:
            return None
        return _track(best.recordings[0])


async def fingerprint(path: str) -> _Fingerprint | None:
    program = shutil.which(PROGRAM)
    if program is None:
        return None
    child = await asyncio.create_subprocess_exec(
        program, "-json", path, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL
    )
    try:
        async with asyncio.timeout(_SECONDS):
            output, _ = await child.communicate()
        return msgspec.json.decode(output, type=_Fingerprint)
    except (TimeoutError, msgspec.MsgspecError):
        return None
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()


def _track(recording: _AcoustidRecording) -> MusicTrack:
    release = next((one for one in recording.releases if one.title), None)
    medium = release.mediums[0] if release and release.mediums else None
    return MusicTrack(
        title=recording.title,
        artist=_names(recording.artists),
        album=release.title if release else None,
        album_artist=_names(release.artists) if release else None,
        year=release.date.year if release else None,
        track=medium.tracks[0].position if medium and medium.tracks else None,
        disc=medium.position if medium else None,
        discs=release.medium_count if release else None,
        release_id=release.id if release else None,
        recording_id=recording.id,
        reasons=("by_fingerprint",),
    )


def _names(artists: list[_Artist]) -> str | None:
    return " & ".join(artist.name for artist in artists) or None
