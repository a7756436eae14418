"""The ensembles of the German weather service: like its models, a folder more for each member."""

import re
from dataclasses import dataclass
from functools import partial

from quartet.wind.models.extras import Read
from quartet.wind.models.icon.upstream import MAX_BYTES, RUN_FORM, STEP, fetch_constants
from quartet.wind.models.members import LEAST_MEMBERS, MemberRead, fetch_members
from quartet.wind.models.types import Fetched, Listing, Reader, run_text

_MEMBER = re.compile(r"\d{2}")


@dataclass(frozen=True)
class IconEnsembleUpstream:
    """`members` is the number of members that a complete run has."""

    folder: str
    members: int
    wind: tuple[str, str] = ("U_10M", "V_10M")

    def batches(self, run: int, steps: tuple[int, ...]) -> list[tuple[int, ...]]:
        return [(step,) for step in steps]

    async def listed(self, reader: Reader, run: int, *, with_extras: bool) -> Listing:
        """List the first and the last member: all of them are written step by step.

        Without `with_extras` a run may lack members.
        """
        there = await self._members(reader, run)
        if len(there) < (self.members if with_extras else LEAST_MEMBERS):
            return Listing(())
        steps: set[int] | None = None
        for member in (there[0], there[-1]):
            for parameter in self.wind:
                names = await reader.names(f"{self._member_folder(run, parameter, member)}/s")
                found = {int(step[1]) for name in names if (step := STEP.fullmatch(name))}
                steps = found if steps is None else steps & found
        return Listing(tuple(sorted(steps or ())))

    async def _members(self, reader: Reader, run: int) -> list[int]:
        names = await reader.names(f"{self._run_folder(run, self.wind[0])}/e")
        return sorted(int(name) for name in names if _MEMBER.fullmatch(name))

    async def fetch(
        self,
        reader: Reader,
        run: int,
        steps: tuple[int, ...],
        _listing: Listing | None,
        *,
        with_extras: bool,
    ) -> Fetched:
        (step,) = steps
        reads = [
            MemberRead(
                member,
                partial(reader.read, self.path(run, step, parameter, member), limit=MAX_BYTES),
            )
            for member in range(1, self.members + 1)
            for parameter in self.wind
        ]
        return await fetch_members(reads, required=with_extras)

    async def fetch_cells(self, reader: Reader, run: int) -> Fetched:
        return await self._fetch_constants(reader, run, ("CLAT", "CLON"))

    async def fetch_land(self, reader: Reader, run: int) -> Fetched:
        return await self._fetch_constants(reader, run, ("FR_LAND",))

    async def _fetch_constants(
        self, reader: Reader, run: int, parameters: tuple[str, ...]
    ) -> Fetched:
        """They are published with the first member."""

        def reads(source: int) -> list[Read]:
            paths = [self.path(source, 0, parameter, 1) for parameter in parameters]
            return [reader.read(path, limit=MAX_BYTES) for path in paths]

        return await fetch_constants(reader, self._runs_folder(parameters[0]), run, reads)

    def path(self, run: int, step: int, parameter: str, member: int) -> str:
        return f"{self._member_folder(run, parameter, member)}/s/PT{step:03}H00M.grib2"

    def _member_folder(self, run: int, parameter: str, member: int) -> str:
        return f"{self._run_folder(run, parameter)}/e/{member:02}"

    def _run_folder(self, run: int, parameter: str) -> str:
        return f"{self._runs_folder(parameter)}/{run_text(run, RUN_FORM)}"

    def _runs_folder(self, parameter: str) -> str:
        return f"v1/m/{self.folder}/p/{parameter}/r"
