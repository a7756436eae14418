from dataclasses import dataclass


@dataclass(frozen=True)
class Result:
    """One measurement.

    With a peer the bar is a ratio, without one it is a limit in the same unit. `best_possible` is
    what the machine can do in the same run, such as writing the file without a download.
    """

    claim: str
    ours: float
    bar: float
    unit: str
    peer: float | None = None
    more_is_better: bool = False
    best_possible: float | None = None

    @property
    def met(self) -> bool:
        figure = self.ours / self.peer if self.peer is not None else self.ours
        return figure >= self.bar if self.more_is_better else figure <= self.bar

    def row(self) -> str:
        peer = f"{self.peer:,.0f}" if self.peer is not None else ""
        ratio = f"{self.ours / self.peer:.2f}x" if self.peer is not None else ""
        bar = f"{self.bar:g}x" if self.peer is not None else f"{self.bar:g} {self.unit}"
        ours = f"{self.ours:,.0f}" if self.ours >= 100 else f"{self.ours:.2f}"
        status = "met" if self.met else "MISSED"
        cells = (self.claim, f"{ours} {self.unit}", peer, ratio, bar, status, self._distance())
        return f"| {' | '.join(cells)} |"

    def _distance(self) -> str:
        """Describe how far the figure is from what the machine can do."""
        if self.best_possible is None:
            return ""
        factor = self.ours / self.best_possible
        return f"{factor:.2f}x of {self.best_possible:,.3g}"


HEADER = "| claim | ours | peer | ratio | bar | | of the machine's limit |\n" + "|---" * 7 + "|"


def table(results: list[Result]) -> str:
    return "\n".join([HEADER, *(result.row() for result in results)]) + "\n"


def show(results: list[Result]) -> None:
    print(table(results), end="")
