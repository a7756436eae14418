"""Compare the name parser with guessit, PTT, PTN and anitopy: fields right on public suites, names
right on our own collection by class, and speed.

All parsers read the same names in the same run and are scored alike. QUICK=1 uses every tenth
name of guessit's own suite, which is as long as all others together.
"""

import os
import time
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from bench import media_names_classes
from bench.media_names_measure import check_fields
from bench.media_names_parsers import Parser, file_and_folders, ours, peers
from bench.media_names_suites import OWNER, UNTOUCHED, Suite, load
from bench.report import Result, show
from quartet.media.names.parse import parse

STEP = 10 if os.environ.get("QUICK") else 1
NAMES_PER_SECOND_BAR = 10_000.0
# More correct fields than any library that did not write the suite, and at least as many as the one
# that did.
OTHERS_BAR = 1.001
OWNER_BAR = 1.0
GAP_BAR = 0.08
ROUNDS = 5
OURS = "ours"
EDGES = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 1.01)
DECISIVE = ("title", "year", "season", "episode", "type")


class Score(NamedTuple):
    right: int
    fields: int
    seconds: float
    # For each case the confidence, and whether every field that decides a match is right.
    confidences: list[tuple[float, bool]]


def run() -> list[Result]:
    whole = load()
    suites = [shorten(suite) for suite in whole]
    parsers = {OURS: ours, **peers()}
    scores = {
        suite.name: {name: score(suite, parser) for name, parser in parsers.items()}
        for suite in suites
    }
    # Use all names even with QUICK=1, because the suites differ in the length of their names.
    files = [file_and_folders(case.name) for suite in whole for case in suite.cases]
    print_table(suites, scores, list(parsers))
    gap = print_reliability([pair for suite in scores.values() for pair in suite[OURS].confidences])
    names_per_second = max(speed(files) for _ in range(ROUNDS))
    read = sum(len(suite.cases) for suite in suites)
    guessit_speed = read / sum(suite["guessit"].seconds for suite in scores.values())
    claim = "media names read per second of one core"
    results = [
        Result(claim, names_per_second, NAMES_PER_SECOND_BAR, "names/s", more_is_better=True),
        Result(
            f"{claim} vs. guessit",
            names_per_second,
            10,
            "names/s",
            guessit_speed,
            more_is_better=True,
        ),
        Result("media names: mean gap between confidence and share right", gap, GAP_BAR, ""),
    ]
    for suite in suites:
        results += compare(suite.name, scores[suite.name])
    return results + media_names_classes.measure(parsers)


def shorten(suite: Suite) -> Suite:
    return suite._replace(cases=suite.cases[::STEP]) if suite.name == "guessit" else suite


def score(suite: Suite, parser: Parser) -> Score:
    correct = fields = 0
    confidences = []
    parser(suite.cases[0].name)
    start = time.process_time()
    answers = [parse_or_empty(parser, case.name) for case in suite.cases]
    seconds = time.process_time() - start
    for case, answer in zip(suite.cases, answers, strict=True):
        verdicts = check_fields(case, answer, suite.name)
        correct += sum(verdicts.values())
        fields += len(verdicts)
        if "title" in verdicts:
            all_right = all(verdicts.get(field, True) for field in DECISIVE)
            confidences.append((answer.get("confidence", 0.0), all_right))
    return Score(correct, fields, seconds, confidences)


def parse_or_empty(parser: Parser, name: str) -> Mapping[str, Any]:
    try:
        return parser(name)
    except Exception:  # noqa: BLE001 - a peer that raises has no field right
        return {}


def speed(files: list[tuple[str, list[str]]]) -> float:
    start = time.process_time()
    for name, folders in files:
        parse(name, folders)
    return len(files) / (time.process_time() - start)


def compare(suite: str, scores: dict[str, Score]) -> list[Result]:
    owner = OWNER[suite]
    own = scores[OURS].right
    others = {name: s.right for name, s in scores.items() if name not in (OURS, owner)}
    best = max(others, key=lambda name: others[name])
    note = ", untouched while tuning" if suite == UNTOUCHED else ""
    claim = f"media names: fields right on {suite}{note} vs. the best other ({best})"
    results = [Result(claim, own, OTHERS_BAR, "fields", others[best], more_is_better=True)]
    if owner:
        claim = f"media names: fields right on {suite} vs. its owner {owner}"
        owned = scores[owner].right
        results.append(Result(claim, own, OWNER_BAR, "fields", owned, more_is_better=True))
    return results


def print_table(
    suites: list[Suite], scores: dict[str, dict[str, Score]], parsers: list[str]
) -> None:
    print(f"| suite | names | skipped | fields | {' | '.join(parsers)} |")
    print("|---" * (len(parsers) + 4) + "|")
    for suite in suites:
        row = scores[suite.name]
        shares = [f"{100 * row[name].right / row[name].fields:.1f} %" for name in parsers]
        counts = [
            f"{row[name].right} ({share})" for name, share in zip(parsers, shares, strict=True)
        ]
        label = f"{suite.name} (untouched)" if suite.name == UNTOUCHED else suite.name
        head = f"| {label} | {len(suite.cases)} | {suite.skipped} | {row[OURS].fields} "
        print(f"{head}| {' | '.join(counts)} |")
    total = sum(len(suite.cases) for suite in suites)
    speeds = [total / sum(row[name].seconds for row in scores.values()) for name in parsers]
    print(f"| names/s | {total} | | | {' | '.join(f'{s:,.0f}' for s in speeds)} |\n")


def print_reliability(confidences: list[tuple[float, bool]]) -> float:
    """Print the table and return the mean gap between confidence and share right, weighted by
    names.
    """
    print("| confidence | names | mean | share right |\n|---|---|---|---|")
    gap = 0.0
    for low, high in pairwise(EDGES):
        inside = [(value, good) for value, good in confidences if low <= value < high]
        if inside:
            mean = sum(value for value, _ in inside) / len(inside)
            share = sum(good for _, good in inside) / len(inside)
            gap += abs(mean - share) * len(inside) / len(confidences)
            label = f"{low:.2f} to {min(high, 1):.2f}"
            print(f"| {label} | {len(inside)} | {mean:.2f} | {share:.2f} |")
    print()
    return gap


if __name__ == "__main__":
    show(run())
