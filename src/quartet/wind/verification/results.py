"""Turns sums of errors into the results that are shown and exported."""

import csv
import io
from collections.abc import Sequence

import numpy as np

from quartet.wind.blend.types import BEST
from quartet.wind.grid.arrays import Doubles
from quartet.wind.ranking.scores import FEWEST
from quartet.wind.ranking.types import BUCKETS
from quartet.wind.verification.issued import IssuedHours, unpack
from quartet.wind.verification.store import DaySums, Issued
from quartet.wind.verification.sums import BINS, THRESHOLDS, Sums, total
from quartet.wind.verification.types import (
    IssuedBest,
    IssuedForecast,
    IssuedWind,
    Reliability,
    ReliabilityBin,
    Verification,
    VerifiedLeads,
    VerifiedModel,
)

_QUANTILES = (0.1, 0.5, 0.9)
_COLUMNS = ("station", "from", "to", "lead_from", "lead_to", "model")
_FIGURES = ("n", "mae", "bias", "rmse", "crps", "best_mae")


def leads_of(rows: Sequence[DaySums]) -> list[VerifiedLeads]:
    """Return the results of several days."""
    models = list(dict.fromkeys(name for row in rows for name in row.models.split(",") if name))
    sums = total(((row.models.split(","), row.sums) for row in rows), models)
    return [_lead(number, sums, models) for number in range(len(BUCKETS))]


def _lead(number: int, sums: Sums, models: Sequence[str]) -> VerifiedLeads:
    first, last = BUCKETS[number]
    errors = sums.errors[number].astype(np.float64)
    n = int(errors[0, 0])
    found = [
        _row(model, errors[place], float(sums.crps[number]) / n if model == BEST else None)
        for place, model in enumerate((BEST, *models))
        if errors[place, 0] > 0
    ]
    best, others = found[:1], sorted(found[1:], key=lambda row: (row.mae, row.model))
    few = n < FEWEST * (last - first) // 24
    return VerifiedLeads(
        (first, last),
        n,
        [*best, *others],
        [
            Reliability(wind, _bins(sums.bins[number, place].astype(np.float64)))
            for place, wind in enumerate(THRESHOLDS)
        ],
        "few_samples" if few else None,
    )


def _row(model: str, errors: Doubles, crps: float | None) -> VerifiedModel:
    count, absolute, signed, squared, best = errors.tolist()
    return VerifiedModel(
        model,
        int(count),
        round(absolute / count, 2),
        round(signed / count, 2),
        round(float(np.sqrt(squared / count)), 2),
        round(absolute / count if crps is None else crps, 2),
        round(best / count, 2),
    )


def _bins(rows: Doubles) -> list[ReliabilityBin]:
    return [
        ReliabilityBin(
            place * 100 // BINS,
            int(count),
            round(100 * announced / count, 1),
            round(100 * came_true / count, 1),
        )
        for place, (count, announced, came_true) in enumerate(rows.tolist())
        if count
    ]


def as_csv(found: Verification) -> str:
    """Return one line for each lead time and model."""
    out = io.StringIO()
    lines = csv.writer(out)
    lines.writerow((*_COLUMNS, *_FIGURES))
    where = found.station.slug if found.station else "all"
    for lead in found.leads:
        for row in lead.rows:
            figures = (getattr(row, name) for name in _FIGURES)
            lines.writerow((where, found.start, found.end, *lead.hours, row.model, *figures))
    return out.getvalue()


def forecast_of(row: Issued) -> IssuedForecast:
    hours = unpack(row.hours)
    low, half, high = (_numbers(each, 1) for each in _quantiles(hours))
    names = row.models.split(",")
    models = {
        name: IssuedWind(_numbers(wind, 1), _degrees(direction))
        for name, wind, direction in zip(
            names, hours.models_wind, hours.models_direction, strict=True
        )
        if not np.isnan(wind).all()
    }
    best = IssuedBest(_numbers(hours.wind, 1), _degrees(hours.direction), low, half, high)
    return IssuedForecast(row.issued, best, models)


def _quantiles(hours: IssuedHours) -> list[Doubles]:
    from quartet.wind.blend.distribution import standard_quantiles

    found = standard_quantiles(hours.shares, np.array(_QUANTILES))
    return [np.maximum(hours.wind + hours.deviation * each, 0) for each in found.tolist()]


def _numbers(values: Doubles, digits: int) -> list[float | None]:
    # NaN is not equal to itself.
    return [each if each == each else None for each in np.round(values, digits).tolist()]


def _degrees(values: Doubles) -> list[int | None]:
    return [None if each != each else int(each) for each in values.tolist()]
