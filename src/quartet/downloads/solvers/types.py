from typing import Annotated, Literal, NamedTuple

import msgspec

from quartet.kernel.errors import Problem

# `form` is in.php and res.php, `json` is createTask and getTaskResult.
Protocol = Literal["form", "json"]
Address = Annotated[str, msgspec.Meta(min_length=1, max_length=1000)]
Key = Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
Name = Annotated[str, msgspec.Meta(max_length=100)]
# Amounts are stored in millionths of the currency of the service.
MICRO = 1_000_000


class NewSolver(msgspec.Struct, frozen=True, rename="camel"):
    """A captcha service; the key is stored encrypted and never returned."""

    address: Address
    key: Key
    # By default, the host of the address.
    name: Name = ""
    protocol: Protocol = "json"
    enabled: bool = True


class SolverChange(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    address: Address | None = None
    key: Key | None = None
    name: Name | None = None
    protocol: Protocol | None = None
    enabled: bool | None = None


class Solver(msgspec.Struct, frozen=True, rename="camel"):
    """Amounts in the currency of the service; what it does not tell is null."""

    id: int
    name: str
    address: str
    protocol: Protocol
    enabled: bool
    balance: float | None
    # Since the service was added.
    solved: int
    spent: float
    error: Problem | None


class StoredSolver(NamedTuple):
    id: int
    name: str
    address: str
    key: str
    protocol: Protocol

    def __repr__(self) -> str:
        return f"StoredSolver({self.id})"


class Solved(NamedTuple):
    answer: str
    # In millionths, as the service says.
    cost: int = 0
