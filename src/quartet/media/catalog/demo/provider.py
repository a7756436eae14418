from collections.abc import Iterable

from quartet.media.catalog.demo.data import DRAWN, movies, series
from quartet.media.catalog.title_folding import fold_title
from quartet.media.catalog.types import Candidate, Details, Episode, Pictures, PictureWidths
from quartet.media.names.types import Ids
from quartet.media.types import Kind, Order, ProviderName

_MOST_FOUND = 10
_LEAST_ALIKE = 60


class Demo:
    name: ProviderName = "demo"

    async def search_movie(self, title: str, year: int | None) -> list[Candidate]:
        return _search(movies().values(), title)

    async def search_series(self, title: str, year: int | None) -> list[Candidate]:
        return _search((show.candidate for show in series().values()), title)

    async def movie(self, id: str) -> Candidate | None:
        return movies().get(id)

    async def series(self, id: str) -> Candidate | None:
        return series()[id].candidate if id in series() else None

    async def details(self, kind: Kind, id: str, widths: PictureWidths, order: Order) -> Details:
        """The covers are drawings without a fixed width."""
        poster = f"{DRAWN}{kind}:{id}"
        seasons = {one.season for one in await self.episodes(id, order)}
        return Details(
            pictures=Pictures(poster=poster, seasons=dict.fromkeys(sorted(seasons), poster))
        )

    async def find(self, kind: Kind, ids: Ids) -> Candidate | None:
        return None

    async def episodes(self, id: str, order: Order) -> list[Episode]:
        return series()[id].episodes if id in series() else []


def _search(candidates: Iterable[Candidate], title: str) -> list[Candidate]:
    wanted = fold_title(title)
    scored = [(_alike(wanted, candidate), candidate) for candidate in candidates]
    scored.sort(key=lambda pair: -pair[0])
    return [candidate for score, candidate in scored[:_MOST_FOUND] if score >= _LEAST_ALIKE]


def _alike(wanted: str, candidate: Candidate) -> float:
    from rapidfuzz import fuzz

    names = {fold_title(candidate.title), fold_title(candidate.original_title or candidate.title)}
    return max(fuzz.token_sort_ratio(wanted, name, score_cutoff=_LEAST_ALIKE) for name in names)
