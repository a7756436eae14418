import msgspec


class AgentFile(msgspec.Struct, frozen=True, rename="camel"):
    """The agent as one file."""

    # The system that it runs on, such as linux-amd64, and the minor version of Python it needs.
    platform: str
    python: str
    sha256: str
    size: int


class AgentProgram(msgspec.Struct, frozen=True, rename="camel"):
    """The agent as a program that contains Python, for one platform."""

    platform: str
    sha256: str
    # True if this server has it and needs no internet access to send it.
    cached: bool


class EngineArchive(msgspec.Struct, frozen=True, rename="camel"):
    """The pinned release of Syncthing for one platform."""

    platform: str
    sha256: str
    # True if this server has it and needs no internet access to send it.
    cached: bool


class Distribution(msgspec.Struct, frozen=True, rename="camel"):
    """What this server offers to new devices."""

    server: str
    agent: AgentFile
    programs: list[AgentProgram]
    engine_version: str
    engines: list[EngineArchive]
