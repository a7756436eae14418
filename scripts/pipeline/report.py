"""Outcomes of the steps and the table printed at the end."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "failed", "skipped"]


class Skipped(Exception):
    """The step cannot run here; the message gives the reason."""


class Failed(Exception):
    pass


@dataclass(frozen=True)
class Outcome:
    system: str
    step: str
    state: State
    seconds: float
    detail: str


def outcome_of(system: str, step: str, action: Callable[[], str]) -> Outcome:
    """Run a step, which returns a short text for the table."""
    print(f"\n=== {system}: {step}", flush=True)
    started = time.monotonic()
    state: State
    try:
        state, detail = "ok", action()
    except Skipped as reason:
        state, detail = "skipped", str(reason)
    except Failed as reason:
        state, detail = "failed", str(reason)
    outcome = Outcome(system, step, state, time.monotonic() - started, detail)
    print(f"=== {state}: {detail}", flush=True)
    return outcome


def table(outcomes: Sequence[Outcome]) -> str:
    rows = [("system", "step", "result", "seconds", "detail")]
    rows += [
        (each.system, each.step, each.state, f"{each.seconds:.0f}", _one_line(each.detail))
        for each in outcomes
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = [
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[4]])
        for row in rows
    ]
    return "\n".join(line.rstrip() for line in lines)


def _one_line(text: str) -> str:
    return " ".join(text.split())[-160:]


def exit_code(outcomes: Sequence[Outcome]) -> int:
    """A skipped step is no error, but a run in which nothing succeeded is one."""
    states = {each.state for each in outcomes}
    return 0 if "failed" not in states and "ok" in states else 1
