from typing import Annotated

import msgspec
from msgspec import Meta

from quartet.media.ids import Id
from quartet.media.jobs.types import JobItem, JobKind
from quartet.media.options.types import Share

Ids = Annotated[list[Id], Meta(min_length=1, max_length=5000)]


class InboxEntry(msgspec.Struct, frozen=True, rename="camel"):
    """A file that waits for a person, and the job it belongs to."""

    item: JobItem
    kind: JobKind
    watch_folder_id: int | None
    # Milliseconds since 1970.
    created_at: int


class InboxPage(msgspec.Struct, frozen=True):
    """Newest first; `cursor` asks for what is older, `total` counts all."""

    entries: list[InboxEntry]
    cursor: int | None
    total: int


class Approval(msgspec.Struct, frozen=True, rename="camel"):
    """These items, or all at least this sure, or those of these items that are."""

    item_ids: Ids | None = None
    min_confidence: Share | None = None


class Approved(msgspec.Struct, frozen=True):
    """How many will be done now; the others have no target yet or another conflict."""

    approved: int
    refused: int


class Rejection(msgspec.Struct, frozen=True, rename="camel"):
    item_ids: Ids


class Rejected(msgspec.Struct, frozen=True):
    rejected: int
