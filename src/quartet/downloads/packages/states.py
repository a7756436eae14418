"""The life of a download, as a table: what may happen in which state, and where it leads."""

from typing import Literal, NamedTuple

Status = Literal[
    "collected", "crawling", "queued", "resolving", "downloading", "paused", "finished", "failed"
]

Act = Literal[
    "start",
    "claim",
    "claim_plain",
    "transfer",
    "wait",
    "stop",
    "fail",
    "finish",
    "doubt",
    "pause",
    "resume",
    "resume_all",
    "crawl",
    "crawl_later",
    "crawl_failed",
    "return",
]


class Step(NamedTuple):
    sources: tuple[Status, ...]
    target: Status


# A slot of the queue is taken only in these states.
ACTIVE: tuple[Status, ...] = ("resolving", "downloading")

STEPS: dict[Act, Step] = {
    "start": Step(("collected",), "queued"),
    "claim": Step(("queued",), "resolving"),
    # A plain link is the address of its file: there is nothing to resolve.
    "claim_plain": Step(("queued",), "downloading"),
    "transfer": Step(("resolving",), "downloading"),
    # Something passing went wrong, or the process ended: it is tried again.
    "wait": Step(ACTIVE, "queued"),
    # Something a person must see to, such as a full disk.
    "stop": Step(ACTIVE, "paused"),
    "fail": Step(ACTIVE, "failed"),
    "finish": Step(("downloading",), "finished"),
    # The machine went down before the disk had confirmed the file.
    "doubt": Step(("finished",), "queued"),
    "pause": Step(("queued", *ACTIVE), "paused"),
    "resume": Step(("paused", "failed"), "queued"),
    "resume_all": Step(("paused",), "queued"),
    # A link of a folder; it gives way to its files, or one of the next three happens.
    "crawl": Step(("collected", "resolving"), "crawling"),
    "crawl_later": Step(("crawling",), "queued"),
    "crawl_failed": Step(("crawling",), "failed"),
    "return": Step(("crawling",), "collected"),
}
