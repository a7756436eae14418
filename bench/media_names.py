"""Our name parser beside guessit, PTT, PTN and anitopy: fields right on outside suites, and speed.

Everybody reads the same names in the same run and is measured alike. QUICK=1 takes every tenth
name of guessit's own suite, which is as long as all others together.
"""

import os
import time
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from bench.media_names_measure import right
from bench.media_names_parsers import Parser, file_and_folders, ours, peers
from bench.media_names_suites import OWNER, UNTOUCHED, Suite, load
from bench.report import Result, show
from quartet.media.names.parse import parse

STEP = 10 if os.environ.get("QUICK") else 1
NAMES_PER_SECOND_BAR = 8000.0
# More fields right than any library that did not make the suite, and as many as the one that did.
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
    # For each case the confidence, and whether all that decides a match is right.
    sure: list[tuple[float, bool]]


def run() -> list[Result]:
    whole = load()
    suites = [shortened(suite) for suite in whole]
    parsers = {OURS: ours, **peers()}
    scores = {
        suite.name: {name: score(suite, parser) for name, parser in parsers.items()}
        for suite in suites
    }
    # All of them, also in a hurry: some suites have longer names than others.
    files = [file_and_folders(case.name) for suite in whole for case in suite.cases]
    print_table(suites, scores, list(parsers))
    gap = print_reliability([pair for suite in scores.values() for pair in suite[OURS].sure])
    fastest = max(speed(files) for _ in range(ROUNDS))
    read = sum(len(suite.cases) for suite in suites)
    slow = read / sum(suite["guessit"].seconds for suite in scores.values())
    claim = "media names read per second of one core"
    results = [
        Result(claim, fastest, NAMES_PER_SECOND_BAR, "names/s", more_is_better=True),
        Result(f"{claim}, beside guessit", fastest, 10, "names/s", slow, more_is_better=True),
        Result("media names: confidence off from share right, mean", gap, GAP_BAR, ""),
    ]
    for suite in suites:
        results += compared(suite.name, scores[suite.name])
    return results


def shortened(suite: Suite) -> Suite:
    return suite._replace(cases=suite.cases[::STEP]) if suite.name == "guessit" else suite


def score(suite: Suite, parser: Parser) -> Score:
    good = fields = 0
    sure = []
    parser(suite.cases[0].name)
    begun = time.process_time()
    answers = [answered(parser, case.name) for case in suite.cases]
    seconds = time.process_time() - begun
    for case, answer in zip(suite.cases, answers, strict=True):
        verdicts = right(case, answer, suite.name)
        good += sum(verdicts.values())
        fields += len(verdicts)
        if "title" in verdicts:
            all_right = all(verdicts.get(field, True) for field in DECISIVE)
            sure.append((answer.get("confidence", 0.0), all_right))
    return Score(good, fields, seconds, sure)


def answered(parser: Parser, name: str) -> Mapping[str, Any]:
    try:
        return parser(name)
    except Exception:  # noqa: BLE001 - a peer that raises has no field right
        return {}


def speed(files: list[tuple[str, list[str]]]) -> float:
    begun = time.process_time()
    for name, folders in files:
        parse(name, folders)
    return len(files) / (time.process_time() - begun)


def compared(suite: str, scores: dict[str, Score]) -> list[Result]:
    owner = OWNER[suite]
    mine = scores[OURS].right
    others = {name: s.right for name, s in scores.items() if name not in (OURS, owner)}
    best = max(others, key=lambda name: others[name])
    apart = ", untouched while tuning" if suite == UNTOUCHED else ""
    claim = f"media names: fields right on {suite}{apart}, beside the best other ({best})"
    results = [Result(claim, mine, OTHERS_BAR, "fields", others[best], more_is_better=True)]
    if owner:
        claim = f"media names: fields right on {suite}, beside its owner {owner}"
        owned = scores[owner].right
        results.append(Result(claim, mine, OWNER_BAR, "fields", owned, more_is_better=True))
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


def print_reliability(sure: list[tuple[float, bool]]) -> float:
    """Gives the mean distance between confidence and share right, weighted by names."""
    print("| confidence | names | mean | share right |\n|---|---|---|---|")
    gap = 0.0
    for low, high in pairwise(EDGES):
        inside = [(value, good) for value, good in sure if low <= value < high]
        if inside:
            mean = sum(value for value, _ in inside) / len(inside)
            share = sum(good for _, good in inside) / len(inside)
            gap += abs(mean - share) * len(inside) / len(sure)
            label = f"{low:.2f} to {min(high, 1):.2f}"
            print(f"| {label} | {len(inside)} | {mean:.2f} | {share:.2f} |")
    print()
    return gap


if __name__ == "__main__":
    show(run())
