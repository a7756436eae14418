"""Make runs of given numbers, without any provider."""

from pathlib import Path

from quartet.wind.grid import writing
from quartet.wind.grid.arrays import Int16s
from quartet.wind.grid.geometry import Grid
from quartet.wind.grid.layout import WIND_CHANNELS, Header
from quartet.wind.grid.steps import write_step


def finished_run(
    folder: Path,
    grid: Grid,
    numbers: Int16s,
    *,
    model: str = "icon-eu",
    run: int = 0,
    steps: tuple[int, ...] | None = None,
    channels: tuple[str, ...] = WIND_CHANNELS,
) -> Path:
    """Write a run; `numbers` are shaped (steps, channels, points)."""
    steps = steps or tuple(range(len(numbers)))
    header = Header(model, run, steps, grid, run, channels=channels)
    unfinished = writing.begin(folder, header)
    for step, fields in zip(header.steps, numbers, strict=True):
        write_step(unfinished, header, step, fields)
    return writing.finish(unfinished, header)
