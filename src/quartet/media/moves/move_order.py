"""Orders the moves of a plan so that each finds its new name free."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple


class MoveLink(NamedTuple):
    """One file of a plan. Only a file that leaves its old name makes room for another."""

    source: str
    target: str
    leaves: bool


class MoveOrder(NamedTuple):
    sequence: list[int]
    # Maps each move to the one that must be parked before it. This breaks swaps and cycles.
    parking: dict[int, int]


def order_moves(links: Sequence[MoveLink]) -> MoveOrder:
    """Order the moves. Each waits for at most one other, so they form chains and cycles."""
    holder = {
        link.source: number
        for number, link in enumerate(links)
        if link.leaves and link.source != link.target
    }
    order = MoveOrder([], {})
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


def batches(order: MoveOrder, most: int) -> Iterator[list[int]]:
    """Split the sequence. A cycle stays in one batch, so that its intents are written together."""
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
