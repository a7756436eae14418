from typing import Annotated

import msgspec
from msgspec import Meta

from quartet.media.jobs.types import JobItem, JobKind
from quartet.media.options.types import Share
from quartet.media.types import Id

Ids = Annotated[list[Id], Meta(min_length=1, max_length=5000)]


class InboxEntry(msgspec.Struct, frozen=True, rename="camel"):
    """A file that needs review, and its job."""

    item: JobItem
    kind: JobKind
    watch_folder_id: int | None
    # Milliseconds since 1970.
    created_at: int


class InboxPage(msgspec.Struct, frozen=True):
    """Newest first; `cursor` requests the next, older page, `total` counts all entries."""

    entries: list[InboxEntry]
    cursor: int | None
    total: int


class Approval(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """Selects items by id, by minimum confidence, or by both."""

    item_ids: Ids | None = None
    min_confidence: Share | None = None


class Approved(msgspec.Struct, frozen=True):
    """How many were queued; the others have no target yet or another conflict."""

    approved: int
    refused: int


class Rejection(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    item_ids: Ids


class Rejected(msgspec.Struct, frozen=True):
    rejected: int
