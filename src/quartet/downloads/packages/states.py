"""The states of a download and the transitions between them."""

from typing import Literal, NamedTuple

Status = Literal[
    "collected",
    "crawling",
    "queued",
    "resolving",
    "downloading",
    "paused",
    "finished",
    "failed",
    "skipped",
]

TransitionName = Literal[
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
    "start_now",
    "crawl",
    "crawl_later",
    "crawl_failed",
    "return",
    "skip",
    "select",
    "select_later",
]


class Transition(NamedTuple):
    sources: tuple[Status, ...]
    target: Status


# The states in which a download occupies a slot.
ACTIVE: tuple[Status, ...] = ("resolving", "downloading")
# Also the states that become active without an action of the user.
UNDER_WAY: tuple[Status, ...] = ("crawling", "queued", *ACTIVE)

TRANSITIONS: dict[TransitionName, Transition] = {
    "start": Transition(("collected",), "queued"),
    "claim": Transition(("queued",), "resolving"),
    # A plain link is the address of its file and needs no resolving.
    "claim_plain": Transition(("queued",), "downloading"),
    "transfer": Transition(("resolving",), "downloading"),
    # A temporary failure, or the process ended: the download is retried.
    "wait": Transition(ACTIVE, "queued"),
    # A problem that the user must fix, such as a full disk.
    "stop": Transition(ACTIVE, "paused"),
    "fail": Transition(ACTIVE, "failed"),
    "finish": Transition(("downloading",), "finished"),
    # The machine went down before the disk confirmed the file.
    "doubt": Transition(("finished",), "queued"),
    "pause": Transition(("queued", *ACTIVE), "paused"),
    "resume": Transition(("paused", "failed"), "queued"),
    "resume_all": Transition(("paused",), "queued"),
    # Beyond the slots; one that waits for a retry does not wait any longer.
    "start_now": Transition(("queued", "paused", "failed"), "queued"),
    # A folder link: replaced by its files, or followed by one of the next three.
    "crawl": Transition(("collected", "resolving"), "crawling"),
    "crawl_later": Transition(("crawling",), "queued"),
    "crawl_failed": Transition(("crawling",), "failed"),
    "return": Transition(("crawling",), "collected"),
    # A file of a torrent that is not wanted, and one that is wanted after all.
    "skip": Transition(("collected", "queued", *ACTIVE, "paused", "failed"), "skipped"),
    "select": Transition(("skipped",), "queued"),
    "select_later": Transition(("skipped",), "collected"),
}
