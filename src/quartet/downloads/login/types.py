import msgspec


class LoginState(msgspec.Struct, frozen=True, rename="camel"):
    setup_required: bool
    logged_in: bool
    user: str | None


class Credentials(msgspec.Struct, frozen=True):
    user: str
    password: str


class FirstUser(Credentials, frozen=True):
    """The code is printed and logged when the service starts."""

    code: str = ""


class PasswordChange(msgspec.Struct, frozen=True):
    current: str
    new: str


class ApiToken(msgspec.Struct, frozen=True):
    """Shown once; only the hash is stored."""

    token: str
