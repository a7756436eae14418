"""The child process: reads a request from its input and writes the response to its output.

Started as `python -m quartet.media.subtitles.worker`.
"""

import os
import sys

import msgspec

from quartet.media.subtitles.search import search
from quartet.media.subtitles.types import SearchRequest


def main() -> None:
    # Output of libraries must not mix with the response.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.nice(5)
    request = msgspec.json.decode(sys.stdin.buffer.read(), type=SearchRequest)
    answers.write(msgspec.json.encode(search(request)))
    answers.flush()


if __name__ == "__main__":
    main()
