"""Downloads what its arguments name until everything is there or somebody kills it."""

import sys
from pathlib import Path

from quartet.downloads.transfer import Finished
from tests.downloads.transfer.desk import Desk


def main(folder: str, *urls: str) -> None:
    desk = Desk(Path(folder), save_every=0.1)
    for number, url in enumerate(urls, 1):
        desk.begin(url, id=number, connections=3)
    say("running")
    for _ in urls:
        outcome = desk.wait()
        assert isinstance(outcome, Finished), outcome
    say("finished")


def say(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
