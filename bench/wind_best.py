"""How much better the blend is than the best model, how certain it is, and what learning costs."""

import sys
import time
from typing import NamedTuple

import numpy as np

from bench import wind_best_cost, wind_best_demo
from bench.report import Result, show
from bench.wind_best_weather import MODELS, World, generate
from quartet.wind.blend.distribution import factor_of, measured_shares, position, share_below
from quartet.wind.blend.learning import blend, derive, learn
from quartet.wind.blend.spreads import calibrated
from quartet.wind.blend.state import State
from quartet.wind.grid.arrays import Doubles, Floats

STATIONS = 80
# Lessons are repeated every few hours, as the service does.
EVERY = 6
SKILL_BAR, FEW_BAR, CRPS_BAR = 0.90, 1.02, 0.92
RELIABILITY_BAR = 5.0
RECOVERY_DAYS_BAR = 3.0


class Verified(NamedTuple):
    """Absolute errors (hour, station, lead class), of each model with a last axis more."""

    best: Floats
    models: Floats
    # The share of the predicted distribution below the truth, and probabilities of 15 knots.
    position: Doubles
    chance: Doubles
    happened: Floats
    # Continuous ranked probability scores: of Best with and without ensembles, and of the members.
    crps: Floats
    crps_past: Floats
    crps_raw: Floats


def follow(world: World, state: State, first: int, last: int, *, learning: bool = True) -> Verified:
    """Predict every hour, then learn it."""
    rows: list[tuple[Floats | Doubles, ...]] = []
    for number in range(first, last):
        if (number - first) % EVERY == 0:
            learnt, shares = derive(state), measured_shares(state)
        hour = world.hour(number)
        wind = blend(hour, learnt).wind
        truth = world.truth[number][:, None]
        past = learnt.deviations * factor_of(learnt.factors, wind)
        deviation = calibrated(past, world.spreads[number], learnt.spreads, None)
        standard = (truth - wind) / deviation
        limit = (15 - wind) / deviation
        below = np.array([share_below(s, x) for s, x in zip(shares, standard, strict=True)])
        chance = 1 - np.array([share_below(s, x) for s, x in zip(shares, limit, strict=True)])
        happened = np.broadcast_to(truth >= 15, wind.shape)
        known = ~np.isnan(wind)
        rows.append(
            (
                np.abs(truth - wind),
                np.abs(truth[..., None] - hour.forecasts),
                np.where(known, below, np.nan),
                np.where(known, chance, np.nan),
                happened,
                normal_crps(truth - wind, deviation),
                normal_crps(truth - wind, past),
                member_crps(truth, world.members[number]),
            )
        )
        if learning:
            learn(state, hour, learnt)
    return Verified(*(np.array(each) for each in zip(*rows, strict=True)))


def normal_crps(error: Floats, deviation: Floats) -> Doubles:
    z = error / deviation
    density = np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
    return np.asarray(deviation * (z * (2 * position(z) - 1) + 2 * density - 1 / np.sqrt(np.pi)))


def member_crps(truth: Floats, members: Floats) -> Floats:
    """Return the score of members as they are: each one is as likely as the others."""
    ordered = np.sort(members, axis=-1)
    count = ordered.shape[-1]
    weight = 2 * np.arange(count) + 1 - count
    apart = (ordered * weight).sum(axis=-1) / count**2
    return np.asarray(np.abs(members - truth[..., None]).mean(axis=-1) - apart, np.float32)


def against_best(found: Verified) -> float:
    """Compare with the model that is best in hindsight at each station and lead time."""
    mine = np.nanmean(found.best, axis=0)
    # Hours that the model lacks do not count for it.
    theirs = np.nanmean(found.models, axis=0)
    best = np.nanmin(theirs, axis=2)
    return float(mine.mean() / best.mean())


def reliability(found: Verified) -> float:
    """Return the largest difference between announced and observed percentages."""
    worst = 0.0
    known = ~np.isnan(found.chance)
    chance, happened = found.chance[known], found.happened[known]
    for low in np.arange(0, 1, 0.1):
        here = (chance >= low) & (chance < low + 0.1)
        if here.sum() >= 200:
            off = 100 * abs(chance[here].mean() - happened[here].mean())
            worst = max(worst, off)
    return worst


def run() -> list[Result]:
    world = generate(70, STATIONS, seed=1)
    state = State(STATIONS, MODELS)
    few_ratios = []
    first = 0
    for days in (1, 2, 3, 5, 7):
        follow(world, state, first, days * 24)
        first = days * 24
        trial = State(STATIONS, MODELS, state.numbers.copy())
        held = follow(world, trial, first, first + 14 * 24, learning=False)
        few_ratios.append(against_best(held))
        print(f"after {days} days: {few_ratios[-1]:.3f}")
    follow(world, state, first, 42 * 24)
    held = follow(world, state, 42 * 24, 70 * 24)
    ratio = against_best(held)
    worst = reliability(held)
    mae, crps = np.nanmean(held.best), np.nanmean(held.crps)
    past, raw = np.nanmean(held.crps_past), np.nanmean(held.crps_raw)
    print(f"held-back weeks: mean error {mae:.2f} kn, CRPS {crps:.3f} kn")
    print(f"CRPS with past errors only {past:.3f} kn, of the raw ensemble {raw:.3f} kn")
    print(f"CRPS of the raw ensemble without its bias {unbiased_crps(world):.3f} kn")
    return [
        Result("Best vs the best model, held-back weeks", ratio, SKILL_BAR, "x"),
        Result("the same with few samples, worst", max(few_ratios), FEW_BAR, "x"),
        Result("CRPS vs the raw ensemble", float(crps / raw), CRPS_BAR, "x"),
        Result("CRPS vs past errors only", float(crps / past), 1.0, "x"),
        Result("reliability, worst bin", worst, RELIABILITY_BAR, "points"),
        Result("days until a model change is recovered", recovery(), RECOVERY_DAYS_BAR, "days"),
        *wind_best_demo.run(),
        *wind_best_cost.run(),
    ]


def unbiased_crps(world: World) -> float:
    """Return the score of members whose mean error at each station was removed in hindsight."""
    late = slice(42 * 24, None)
    truth, members = world.truth[late, :, None], world.members[late]
    bias = np.nanmean(members.mean(axis=-1) - truth, axis=0)
    return float(np.nanmean(member_crps(truth, members - bias[..., None])))


def recovery() -> float:
    """Return the days after which the error is within 5 % of what it would be otherwise.

    The mean of a day and the next counts, and that of two kinds of weather, because single days
    differ by chance.
    """
    ratios = np.mean([_after_change(seed) for seed in (2, 11)], axis=0)
    print("error after a change, means of two days:", np.round(ratios, 3))
    late = np.flatnonzero(ratios > 1.05)
    return float(late[-1] + 1) if len(late) else 0.0


def _after_change(seed: int) -> Doubles:
    errors = {}
    for changes_at in (None, 35):
        world = generate(42, STATIONS // 2, seed=seed, changes_at=changes_at)
        state = State(STATIONS // 2, MODELS)
        follow(world, state, 0, 35 * 24)
        found = follow(world, state, 35 * 24, 42 * 24)
        errors[changes_at] = np.array(
            [np.nanmean(found.best[day * 24 : day * 24 + 48]) for day in range(6)]
        )
    return np.asarray(errors[35] / errors[None])


if __name__ == "__main__":
    begun = time.process_time()
    results = run()
    show(results)
    print(f"{time.process_time() - begun:.0f} CPU-s", file=sys.stderr)
    sys.exit(not all(result.met for result in results))
