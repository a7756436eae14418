"""In which order the files of a plan go, so that each finds its new name free."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Link(NamedTuple):
    """One file of a plan; only one that leaves its old name makes room for another."""

    source: str
    target: str
    leaves: bool


class Order(NamedTuple):
    sequence: list[int]
    # Before the first of each pair goes, the second is parked: that breaks a swap or a cycle.
    parking: dict[int, int]


def ordered(links: Sequence[Link]) -> Order:
    """Each file waits for at most one other, so every tangle is a chain or a ring."""
    holder = {
        link.source: number
        for number, link in enumerate(links)
        if link.leaves and link.source != link.target
    }
    order = Order([], {})
    seen: set[int] = set()
    for first in range(len(links)):
        chain: list[int] = []
        on_chain: set[int] = set()
        number: int | None = first
        while number is not None and number not in seen:
            seen.add(number)
            chain.append(number)
            on_chain.add(number)
            number = holder.get(links[number].target)
        if number is not None and number in on_chain:
            order.parking[chain[-1]] = number
        order.sequence.extend(reversed(chain))
    return order


def batches(order: Order, most: int) -> Iterator[list[int]]:
    """Parts of the sequence; a ring stays in one, so that its journal is written in one go."""
    batch: list[int] = []
    parked: set[int] = set()
    for number in order.sequence:
        batch.append(number)
        parked.discard(number)
        if number in order.parking:
            parked.add(order.parking[number])
        if len(batch) >= most and not parked:
            yield batch
            batch = []
    if batch:
        yield batch
