"""List the tests that `make quick` leaves out: `python -m scripts.slow_tests REPORT`.

Reads the JUnit report of `make timings` and writes `tests/slow_tests.txt`. Tests with another
marker are left out anyway, so the list does not contain them.
"""

import sys
from xml.etree import ElementTree

from tests.markers import SLOW_TESTS, markers_of_path

SECONDS = 0.3


def main() -> None:
    cases = ElementTree.parse(sys.argv[1]).iter("testcase")
    slow = {name(case) for case in cases if float(case.attrib["time"]) >= SECONDS}
    kept = sorted(each for each in slow if not markers_of_path(each.split("::")[0]))
    SLOW_TESTS.write_text("".join(f"{each}\n" for each in kept))


def name(case: ElementTree.Element) -> str:
    """Return the node id of a test without its parameters."""
    *folders, last = case.attrib["classname"].split(".")
    # State machines are classes.
    is_class = last[0].isupper()
    file = [*folders[:-1], f"{folders[-1]}.py::{last}"] if is_class else [*folders, f"{last}.py"]
    return f"{'/'.join(file)}::{case.attrib['name'].split('[')[0]}"


if __name__ == "__main__":
    main()
