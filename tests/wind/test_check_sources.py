"""`quartet wind check-sources` against imitations of every weather service."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from quartet.wind.demo.fields import CellPlace
from quartet.wind.models.catalogue import ALL_MODELS
from quartet.wind.models.icon.models import ICON_EU
from quartet.wind.models.types import Model
from tests.wind.test_file_commands import wind
from tests.wind.upstream import provider, publish

pytestmark = pytest.mark.anyio
# The grids of ICON-EU before and after a change.
BEFORE, AFTER = CellPlace(62, 900, ICON_EU.area), CellPlace(63, 1100, ICON_EU.area)
PROVIDERS = {
    "DWD": "dwd",
    "NOAA": "noaa",
    "GEFS": "noaa-gefs",
    "ECMWF": "ecmwf",
    "METEOFRANCE": "meteofrance",
}


def newest(model: Model, before: int = 0) -> int:
    """Return the newest run that should be complete, or one of those before it."""
    run = model.run_at_or_before(time.time() - model.delay - model.span)
    for _ in range(before):
        run = model.run_at_or_before(run - 1)
    return run


def first_files(model: Model) -> Model:
    """The same model with the steps of its first two files."""
    batches = model.upstream.batches(0, model.steps(0))[:2]
    return replace(model, steps=lambda _hour: tuple(batch[0] for batch in batches))


def named(*models: str) -> list[Model]:
    return [model for model in ALL_MODELS if model.id in models]


async def table(
    folder: Path, models: Sequence[Model], dead: str | None = None
) -> tuple[int, dict[str, str]]:
    """Return the exit code and the rows of the table by model; `dead` does not answer."""
    async with provider(folder / "served") as served:
        addresses = {
            f"WIND_{name}_ADDRESS": f"{served.address}/{part}" for name, part in PROVIDERS.items()
        }
        if dead is not None:
            # Nothing listens on this port.
            addresses[f"WIND_{dead}_ADDRESS"] = "http://127.0.0.1:1"
        options = [part for model in models for part in ("--model", model.id)]
        result = await asyncio.to_thread(wind, folder, "check-sources", *options, **addresses)
    header, *rows = (line.split(maxsplit=1) for line in result.output.splitlines())
    assert header[0] == "model", result.output
    return result.exit_code, {row[0]: row[1] for row in rows}


@pytest.mark.nightly
async def test_every_published_model_passes_the_check(tmp_path: Path) -> None:
    for model in ALL_MODELS:
        publish(tmp_path / "served", first_files(model), newest(model))
    code, rows = await table(tmp_path, ALL_MODELS)
    assert rows.keys() == {model.id for model in ALL_MODELS}
    assert all(row.endswith("  ok") for row in rows.values()), rows
    assert code == 0


async def test_dead_host_late_model_and_changed_grid_are_told_apart(tmp_path: Path) -> None:
    """The grid of ICON-EU has changed, which is no fault, and ICON-D2 has wrong coordinates."""
    served = tmp_path / "served"
    models = named("icon-d2", "icon-eu", "arpege", "ecmwf", "gfs", "gefs")
    for model in models:
        late = model.id == "arpege"
        publish(served, first_files(model), newest(model, 3 if late else 0))
    publish(served, first_files(ICON_EU), newest(ICON_EU, 1), BEFORE)
    publish(served, first_files(ICON_EU), newest(ICON_EU), AFTER)
    (icon_d2,) = named("icon-d2")
    other = CellPlace(48, 1500, icon_d2.area)
    publish(tmp_path / "other", first_files(icon_d2), newest(icon_d2), other)
    for path in (tmp_path / "other").rglob("CL*/**/*.grib2"):
        (served / path.relative_to(tmp_path / "other")).write_bytes(path.read_bytes())

    code, rows = await table(tmp_path, models, dead="NOAA")
    assert code == 1
    assert "  1100  " in rows["icon-eu"] and rows["icon-eu"].endswith("  ok")
    assert "  gust temperature precipitation cloud pressure  " in rows["icon-eu"]
    assert rows["ecmwf"].endswith("  ok") and rows["gefs"].endswith("  ok")
    assert rows["arpege"].endswith("  late")
    assert "wrong_grid" in rows["icon-d2"] and "unreachable" in rows["gfs"]

    code, rows = await table(tmp_path, named("icon-eu", "ecmwf", "gfs", "gefs"))
    assert code == 0, rows
