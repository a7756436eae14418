"""What TVmaze tells about a series, with its pictures."""

from collections.abc import Sequence

from quartet.media.catalog.picture_sizes import OfferedSize, fitting
from quartet.media.catalog.plain_text import plain_text
from quartet.media.catalog.tvmaze_answers import (
    ShowImage,
    TvMazeDetails,
    TvMazeEpisode,
    TvMazeRole,
)
from quartet.media.catalog.types import Actor, Details, EpisodeDetails, Pictures, PictureWidths

_STATUS = {"Ended": False, "Running": True}
_MOST_ACTORS = 30


def details(
    show: TvMazeDetails,
    images: Sequence[ShowImage],
    episodes: Sequence[TvMazeEpisode],
    widths: PictureWidths,
) -> Details:
    # Specials have no numbers in TVmaze, so that those in names say nothing about them.
    episodes = [one for one in episodes if one.season]
    stills = {
        (one.season, one.number or 0): one.image.original or one.image.medium
        for one in episodes
        if one.image
    }
    channels = (show.network, show.web_channel)
    return Details(
        pictures=Pictures(
            poster=_chosen(images, "poster", widths.poster),
            fanart=_chosen(images, "background", widths.fanart),
            episodes={numbers: url for numbers, url in stills.items() if url},
        ),
        plot=plain_text(show.summary),
        runtime=show.runtime or show.average_runtime or None,
        premiered=show.premiered or None,
        continuing=_STATUS.get(show.status or ""),
        rating=show.rating.average or None,
        genres=tuple(show.genres),
        studios=tuple(channel.name for channel in channels if channel and channel.name),
        actors=tuple(_actor(role) for role in show.embedded.cast[:_MOST_ACTORS]),
        episodes={(one.season, one.number or 0): _episode(one) for one in episodes},
    )


def _chosen(images: Sequence[ShowImage], kind: str, most: int) -> str | None:
    same = [image for image in images if image.type == kind]
    best = max(same, key=lambda image: image.main, default=ShowImage())
    return fitting([OfferedSize(one.width, one.url) for one in best.resolutions.values()], most)


def _actor(role: TvMazeRole) -> Actor:
    picture = role.person.image.medium if role.person.image else None
    return Actor(role.person.name, role.character.name if role.character else None, picture)


def _episode(given: TvMazeEpisode) -> EpisodeDetails:
    return EpisodeDetails(
        id=str(given.id) if given.id else None,
        plot=plain_text(given.summary),
        runtime=given.runtime or None,
        rating=given.rating.average or None,
    )
