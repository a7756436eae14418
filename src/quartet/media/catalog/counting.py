from collections.abc import Iterable

import msgspec

from quartet.media.catalog.types import Episode


def counted(episodes: Iterable[Episode]) -> list[Episode]:
    """In order, and numbered from the first of the series; specials do not count."""
    ordered = sorted(episodes, key=lambda episode: (episode.season, episode.episode))
    place = 0
    found: list[Episode] = []
    for episode in ordered:
        if episode.season > 0:
            place += 1
            episode = msgspec.structs.replace(episode, absolute=episode.absolute or place)
        found.append(episode)
    return found
