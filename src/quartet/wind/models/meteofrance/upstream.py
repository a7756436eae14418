"""Packages of the French weather service: a file has many variables and several steps."""

from dataclasses import dataclass

from quartet.wind.models.refused import Refused
from quartet.wind.models.types import Fetched, Listing, Reader, run_text

MAX_PACKAGE_BYTES = 128 * 1024 * 1024


@dataclass(frozen=True)
class MeteoFranceUpstream:
    """`ranges` are the first and last step of each package, written with `digits` digits."""

    family: str
    grid: str
    ranges: tuple[tuple[int, int], ...]
    digits: int

    def batches(self, run: int, steps: tuple[int, ...]) -> list[tuple[int, ...]]:
        packages = (
            tuple(step for step in steps if first <= step <= last) for first, last in self.ranges
        )
        return [package for package in packages if package]

    async def listed(self, reader: Reader, run: int, *, with_extras: bool) -> None:
        return None

    async def fetch(
        self,
        reader: Reader,
        run: int,
        steps: tuple[int, ...],
        _listing: Listing | None,
        *,
        with_extras: bool,
    ) -> Fetched:
        return Fetched((await reader.read(self.path(run, steps[0]), limit=MAX_PACKAGE_BYTES),))

    async def fetch_cells(self, reader: Reader, run: int) -> Fetched:
        raise Refused("wrong_grid")

    async def fetch_land(self, reader: Reader, run: int) -> None:
        """The packages have no land mask."""

    def path(self, run: int, step: int) -> str:
        first, last = next(each for each in self.ranges if each[0] <= step <= each[1])
        hours = f"{first:0{self.digits}}H{last:0{self.digits}}H"
        time = run_text(run, "%Y-%m-%dT%H:00:00Z")
        name = f"{self.family}__{self.grid}__SP1__{hours}__{time}.grib2"
        return f"{time}/{self.family}/{self.grid}/SP1/{name}"
