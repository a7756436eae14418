"""Runs in an S3 bucket: blocks in any order, then a header, which makes the run visible.

grids/<model>/<run>/plan.json    what is being fetched
grids/<model>/<run>/<block>.i16  eight steps, as in the file of a run
grids/<model>/<run>/<block>.partial   the steps that the block lacks
grids/<model>/<run>/run.json     the publication
meshes/<grid>.mesh               the triangles of an unstructured grid
meshes/<grid>.land               how much of its points is land
"""

from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import msgspec
import obstore
from obstore.exceptions import AlreadyExistsError
from obstore.store import S3Store

from quartet.wind.grid.layout import HEADER_NAME, Header

_PLAN_NAME = "plan.json"
_BLOCK_END, _GAP_END = ".i16", ".partial"
_CHUNK_BYTES = 4 * 1024 * 1024


class BucketRun(msgspec.Struct):
    """The parts of a run that are in the bucket."""

    blocks: set[int] = msgspec.field(default_factory=set)
    planned: bool = False
    published: bool = False
    # The blocks that lack steps.
    partial: set[int] = msgspec.field(default_factory=set)


class Gap(msgspec.Struct, frozen=True):
    """The steps that a block lacks and that may still come; `looks` counts those in vain."""

    missing: tuple[int, ...]
    looks: int = 0


class S3Bucket:
    """`url` is s3://bucket/prefix?endpoint=…&region=…; keys come from the variables of AWS."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        options = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        endpoint = options.get("endpoint", "")
        self._store = S3Store(
            parts.netloc,
            prefix=parts.path.strip("/") or None,
            client_options={"allow_http": endpoint.startswith("http:"), "timeout": "60s"},
            **options,  # type: ignore[arg-type]
        )

    async def list_runs(self, model: str) -> dict[int, BucketRun]:
        """Return all runs of a model that have any file."""
        found: dict[int, BucketRun] = defaultdict(BucketRun)
        for each in await obstore.list(self._store, f"grids/{model}/").collect_async():
            run, _, name = each["path"].removeprefix(f"grids/{model}/").partition("/")
            if not run.isdigit():
                continue
            bucket_run = found[int(run)]
            if name.endswith(_BLOCK_END):
                bucket_run.blocks.add(int(name.removesuffix(_BLOCK_END)))
            bucket_run.planned = bucket_run.planned or name == _PLAN_NAME
            bucket_run.published = bucket_run.published or name == HEADER_NAME
            if name.endswith(_GAP_END):
                bucket_run.partial.add(int(name.removesuffix(_GAP_END)))
        return found

    async def plan(self, header: Header) -> None:
        """Write the plan of a run, unless there is one: all processes must use the same."""
        await self._create(_place(header, _PLAN_NAME), header)

    async def planned(self, model: str, run: int) -> Header:
        return await self._header(f"grids/{model}/{run}/{_PLAN_NAME}")

    async def put_block(self, header: Header, block: int, values: Path) -> None:
        await obstore.put_async(self._store, _block(header, block), values)

    async def mark_partial(self, header: Header, block: int, gap: Gap) -> None:
        """Record that a block was made although some of its steps are missing."""
        content = msgspec.json.encode(gap)
        await obstore.put_async(self._store, _gap(header, block), content, use_multipart=False)

    async def mark_whole(self, header: Header, block: int) -> None:
        await obstore.delete_async(self._store, _gap(header, block))

    async def gap(self, header: Header, block: int) -> Gap:
        answer = await obstore.get_async(self._store, _gap(header, block))
        return msgspec.json.decode(await answer.bytes_async(), type=Gap)

    async def fetch_block(self, header: Header, block: int, values: Path, place: int) -> None:
        """Write a block to its place in a file, which is a number of blocks."""
        answer = await obstore.get_async(self._store, _block(header, block))
        with values.open("r+b") as file:
            file.seek(place * header.block_size)
            async for chunk in answer.stream(min_chunk_size=_CHUNK_BYTES):
                file.write(chunk)

    async def put_grid_file(self, path: Path) -> None:
        """Share a mesh or a land mask, unless another process has done so."""
        with suppress(AlreadyExistsError):
            await obstore.put_async(
                self._store, f"meshes/{path.name}", path, mode="create", use_multipart=False
            )

    async def fetch_grid_file(self, path: Path) -> None:
        answer = await obstore.get_async(self._store, f"meshes/{path.name}")
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f"{path.suffix}-part")
        with part.open("wb") as file:
            async for chunk in answer.stream(min_chunk_size=_CHUNK_BYTES):
                file.write(chunk)
        part.replace(path)

    async def publish(self, header: Header) -> bool:
        """Publish a run; return whether this process was the one that did it."""
        return await self._create(_place(header, HEADER_NAME), header)

    async def publish_again(self, header: Header) -> None:
        """Replace the header of a published run of which blocks have been replaced."""
        content = msgspec.json.encode(header)
        path = _place(header, HEADER_NAME)
        await obstore.put_async(self._store, path, content, use_multipart=False)

    async def published(self, model: str, run: int) -> Header:
        return await self._header(f"grids/{model}/{run}/{HEADER_NAME}")

    async def remove(self, model: str, run: int) -> None:
        """Remove a run, its header first: without a header a run does not exist."""
        folder = f"grids/{model}/{run}/"
        await obstore.delete_async(self._store, f"{folder}{HEADER_NAME}")
        rest = await obstore.list(self._store, folder).collect_async()
        await obstore.delete_async(self._store, [each["path"] for each in rest])

    async def _create(self, path: str, header: Header) -> bool:
        try:
            await obstore.put_async(
                self._store, path, msgspec.json.encode(header), mode="create", use_multipart=False
            )
        except AlreadyExistsError:
            return False
        return True

    async def _header(self, path: str) -> Header:
        answer = await obstore.get_async(self._store, path)
        return msgspec.json.decode(await answer.bytes_async(), type=Header)


def _place(header: Header, name: str) -> str:
    return f"grids/{header.model}/{header.run}/{name}"


def _block(header: Header, block: int) -> str:
    return _place(header, f"{block}{_BLOCK_END}")


def _gap(header: Header, block: int) -> str:
    return _place(header, f"{block}{_GAP_END}")
