"""GEFS, the ensemble of the US weather service: a file for each member and step."""

from dataclasses import dataclass
from functools import partial

from quartet.wind.models.gfs.upstream import MAX_FIELD_BYTES, MAX_INDEX_BYTES, WIND, wanted_lines
from quartet.wind.models.members import MemberRead, fetch_members
from quartet.wind.models.refused import Refused
from quartet.wind.models.types import Fetched, Listing, Reader, run_text


@dataclass(frozen=True)
class GefsUpstream:
    """`members` is the number of members besides the control run, which has number 0."""

    members: int = 30

    def batches(self, run: int, steps: tuple[int, ...]) -> list[tuple[int, ...]]:
        return [(step,) for step in steps]

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
        numbers = range(self.members + 1)
        if with_extras:
            # The last member is written last: without it, the others need not be asked for.
            await reader.read(f"{self.path(run, steps[0], numbers[-1])}.idx", limit=MAX_INDEX_BYTES)
        reads = [
            MemberRead(member, partial(self._wind, reader, run, steps[0], member))
            for member in numbers
        ]
        return await fetch_members(reads, required=with_extras)

    async def _wind(self, reader: Reader, run: int, step: int, member: int) -> bytes:
        """Read both components; they follow each other, so that one request is enough."""
        path, day = self.path(run, step, member), run_text(run, "%Y%m%d%H")
        index = await reader.read(f"{path}.idx", limit=MAX_INDEX_BYTES)
        lines = sorted(wanted_lines(index, day, WIND, ()))
        first, last = lines
        if first.offset == last.offset:
            return await reader.read_piece(path, *first[:2], limit=MAX_FIELD_BYTES)
        if first.length is None or first.offset + first.length != last.offset:
            parts = [
                await reader.read_piece(path, each.offset, each.length, limit=MAX_FIELD_BYTES)
                for each in lines
            ]
            return b"".join(parts)
        length = None if last.length is None else first.length + last.length
        return await reader.read_piece(path, first.offset, length, limit=MAX_FIELD_BYTES)

    async def fetch_cells(self, reader: Reader, run: int) -> Fetched:
        raise Refused("wrong_grid")

    async def fetch_land(self, reader: Reader, run: int) -> Fetched | None:
        """The files of the members have no mask."""
        return None

    def path(self, run: int, step: int, member: int) -> str:
        day, hour = run_text(run, "%Y%m%d"), run_text(run, "%H")
        name = f"gep{member:02}" if member else "gec00"
        return f"gefs.{day}/{hour}/atmos/pgrb2ap5/{name}.t{hour}z.pgrb2a.0p50.f{step:03}"
