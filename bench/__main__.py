"""`make bench`: run every benchmark and print one table; exit with an error if a bar is missed.

QUICK=1 runs only those that take about a minute, and `python -m bench wind_read start` only those
two. The table is also written to `build/bench.md`.
"""

import os
import sys
from importlib import import_module
from pathlib import Path

from bench.report import Result, table

QUICK = ("api", "start", "downloads", "media_names", "wind_texture")
LONG = (
    "media_job",
    "sync_apply",
    "sync_files",
    "sync_fleet",
    "sync_guard",
    "sync_servers",
    "wind_alarms",
    "wind_best",
    "wind_read",
    "wind_ingest",
    "scale",
    "growth",
)
TABLE = Path(__file__).parent.parent / "build" / "bench.md"


def run(names: tuple[str, ...]) -> list[Result]:
    found: list[Result] = []
    for name in names:
        print(f"bench/{name}.py", file=sys.stderr, flush=True)
        found += import_module(f"bench.{name}").run()
    return found


def chosen(arguments: list[str]) -> tuple[str, ...]:
    unknown = set(arguments) - {*QUICK, *LONG}
    if unknown:
        sys.exit(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(QUICK + LONG)}")
    return tuple(arguments) or (QUICK if os.environ.get("QUICK") else QUICK + LONG)


if __name__ == "__main__":
    results = run(chosen(sys.argv[1:]))
    TABLE.parent.mkdir(exist_ok=True)
    TABLE.write_text(table(results))
    print(table(results), end="")
    sys.exit(not all(result.met for result in results))
