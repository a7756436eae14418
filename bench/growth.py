"""Measure how the cost of the main tasks grows with the amount of data.

The services run with growing amounts of data. The cost of a request is the CPU time of the server,
which other load on the machine changes little. Prints the curves with their exponents: 0 means that
the cost does not depend on the amount, 1 that it is proportional. The curves are also written to
`build/growth.md`, with a picture for each subject.

`python -m bench.growth downloads 10000` measures one subject with up to 10,000 rows.
"""

import sys
from importlib import import_module
from pathlib import Path

from bench.growth_curves import Curve
from bench.growth_picture import picture
from bench.report import Result, show

# The amounts of each subject.
SIZES = {
    "downloads": (1_000, 10_000, 100_000, 1_000_000),
    "media": (1_000, 10_000, 100_000, 500_000),
    "sync": (1, 10, 100, 1_000, 10_000, 20_000),
    "folders": (1, 10, 100, 200),
    "hubfiles": (1_000, 10_000, 100_000, 1_000_000),
    "alerts": (100, 1_000, 10_000, 100_000),
    "requests": (1, 10, 100, 1_000),
    "streams": (1, 10, 100, 1_000, 5_000),
}
FOLDER = Path(__file__).parent.parent / "build"


def run(subjects: tuple[str, ...] = tuple(SIZES), largest: int = 10**9) -> list[Result]:
    found: list[Curve] = []
    FOLDER.mkdir(exist_ok=True)
    for subject in subjects:
        sizes = [size for size in SIZES[subject] if size <= largest]
        curves = import_module(f"bench.growth_{subject}").curves(sizes)
        (FOLDER / f"growth-{subject}.svg").write_text(picture(curves))
        found += curves
    text = table(found)
    (FOLDER / "growth.md").write_text(text)
    print(text, end="")
    return [curve.result() for curve in found]


def table(curves: list[Curve]) -> str:
    head = "| task | with | cost by amount | exponent |\n|---|---|---|---|\n"
    return head + "".join(f"{curve.row()}\n" for curve in curves)


if __name__ == "__main__":
    chosen = (sys.argv[1],) if len(sys.argv) > 1 else tuple(SIZES)
    show(run(chosen, int(sys.argv[2]) if len(sys.argv) > 2 else 10**9))
