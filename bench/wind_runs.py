"""Runs of every model with all their steps, made of random numbers."""

import sys
import time
from pathlib import Path

import numpy as np

from quartet.wind.demo.fields import place_of
from quartet.wind.grid import writing
from quartet.wind.grid.geometry import Grid
from quartet.wind.grid.layout import Header
from quartet.wind.grid.steps import write_step
from quartet.wind.models.catalogue import MODELS


def fill(folder: Path) -> None:
    random = np.random.default_rng(1)
    for model in MODELS:
        run = model.run_at_or_before(time.time() - model.delay - model.span) // 43200 * 43200
        place = place_of(model.id, "small")
        grid = place if isinstance(place, Grid) else Grid.world(2.0)
        header = Header(model.id, run, model.steps_of(run), grid, run)
        unfinished = writing.begin(folder, header)
        for step in header.steps:
            fields = random.integers(-3000, 3000, (3, grid.points), dtype=np.int16)
            fields[2] = 5000
            write_step(unfinished, header, step, fields)
        writing.finish(unfinished, header)


if __name__ == "__main__":
    fill(Path(sys.argv[1]))
