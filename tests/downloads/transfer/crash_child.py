"""Downloads the given URLs, each with its mirrors after spaces, until the process is killed."""

import sys
from pathlib import Path

from quartet.downloads.transfer import Finished
from tests.downloads.transfer.engine_bench import EngineBench


def main(folder: str, *urls: str) -> None:
    bench = EngineBench(Path(folder), save_every=0.1)
    for number, given in enumerate(urls, 1):
        url, *mirrors = given.split()
        bench.begin(url, id=number, mirrors=mirrors, connections=3)
    say("running")
    for _ in urls:
        outcome = bench.wait()
        assert isinstance(outcome, Finished), outcome
    say("finished")


def say(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
