"""Why Best says what it says: how much each model counts at a place."""

from collections.abc import Sequence

import numpy as np

from quartet.wind.blend.prediction import Best
from quartet.wind.blend.service import Knowledge
from quartet.wind.blend.types import ModelShare, WeightReason

_NEXT_HOURS = 24
# Lead class from which the explanation is taken: 12 to 18 hours.
_SHOWN_CLASS = 3
_FEW_HOURS = 24


def model_shares(models: Sequence[str], best: Best, known: Knowledge) -> list[ModelShare]:
    """Return how much each model counts in the next day, and why."""
    found = known.learnt.coefficients
    with np.errstate(invalid="ignore"):
        shares = np.nan_to_num(best.weight[:, 0, :_NEXT_HOURS]).mean(axis=1)
    shares = shares / max(float(shares.sum()), 1e-6)
    here = found.samples[0, _SHOWN_CLASS]
    errors = np.sqrt(found.variance[0, _SHOWN_CLASS])
    usual = float(np.median(errors[here > _FEW_HOURS])) if (here > _FEW_HOURS).any() else 0.0
    rows = []
    for number, model in enumerate(models):
        if shares[number] <= 0:
            continue
        hours, error = int(here[number]), float(errors[number])
        # The correction at ten knots, the wind that most people ask about.
        offset = float(found.offset[0, _SHOWN_CLASS, number])
        slope = float(found.slope[0, _SHOWN_CLASS, number])
        enough = hours > _FEW_HOURS
        rows.append(
            ModelShare(
                model,
                round(100 * float(shares[number])),
                _reason(hours, error, usual),
                hours,
                round(-(offset + (slope - 1) * 10), 1) if enough else None,
                round(error, 1) if enough else None,
            )
        )
    return sorted(rows, key=lambda row: -row.share)


def _reason(hours: int, error: float, usual: float) -> WeightReason:
    if hours <= _FEW_HOURS:
        return "new"
    if error < 0.93 * usual:
        return "accurate"
    return "inaccurate" if error > 1.07 * usual else "average"
