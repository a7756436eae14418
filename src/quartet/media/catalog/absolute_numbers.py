from collections.abc import Iterable

import msgspec

from quartet.media.catalog.types import Episode


def with_absolute_numbers(episodes: Iterable[Episode]) -> list[Episode]:
    """Sort the episodes and add absolute numbers; specials are not counted."""
    ordered = sorted(episodes, key=lambda episode: (episode.season, episode.episode))
    place = 0
    found: list[Episode] = []
    for episode in ordered:
        if episode.season > 0:
            place += 1
            episode = msgspec.structs.replace(episode, absolute=episode.absolute or place)
        found.append(episode)
    return found
