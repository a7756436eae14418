"""`make pipeline`: install and use Quartet in bare systems, as a release must.

Builds each system with mmdebstrap and enters it with chroot, so it needs root rights. A step that
this machine does not allow is skipped and says why.
"""

import argparse
import signal
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from pipeline.image import build_image, start_image
from pipeline.packages import build_packages, build_program, program
from pipeline.report import Outcome, exit_code, outcome_of, table
from pipeline.roots import DISTRIBUTIONS, Root
from pipeline.steps import PROJECT, Step, steps_of

PACKAGES = PROJECT / "build" / "packages"


def main() -> int:
    options = parsed()
    # A shell starts background jobs with Ctrl-C ignored, which the programs would inherit.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    outcomes = [
        outcome_of("this machine", name, action)
        for name, action in steps_of_machine(keep=options.keep)
        if is_wanted(name, options.steps)
    ]
    for distribution in DISTRIBUTIONS:
        if distribution.name in options.systems:
            root = Root(distribution, options.folder.resolve() / distribution.suite)
            outcomes += in_root(root, options.steps, keep=options.keep)
    print(f"\n{table(outcomes)}")
    return exit_code(outcomes)


def steps_of_machine(*, keep: bool) -> Iterator[Step]:
    yield "packages", partial(build_packages, PACKAGES, keep=keep)
    yield "agent program", partial(build_program, keep=keep)
    yield "image", build_image
    yield "image by compose values", partial(start_image, program())


def is_wanted(step: str, wanted: list[str]) -> bool:
    return not wanted or any(text in step for text in wanted)


def in_root(root: Root, wanted: list[str], *, keep: bool) -> list[Outcome]:
    name = root.distribution.name
    if not any(is_wanted(step, wanted) for step, _ in steps_of(root, PACKAGES)):
        return []
    outcomes = [outcome_of(name, "bare system", root.create)]
    try:
        if outcomes[0].state != "ok":
            return outcomes
        for step, action in steps_of(root, PACKAGES):
            if is_wanted(step, wanted):
                outcomes.append(outcome_of(name, step, action))
    finally:
        root.close(remove=not keep)
    return outcomes


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make pipeline", description=__doc__)
    parser.add_argument("--folder", type=Path, default=PROJECT / "build" / "roots")
    names = [each.name for each in DISTRIBUTIONS]
    parser.add_argument("--systems", nargs="*", choices=names, default=names)
    parser.add_argument("--steps", nargs="+", default=[], help="only steps that contain a text")
    parser.add_argument("--keep", action="store_true", help="keep and use systems and packages")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
