import msgspec

from quartet.wind.accounts.types import Role


class NewRole(msgspec.Struct, frozen=True):
    role: Role
