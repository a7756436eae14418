class AgentError(Exception):
    """An error that the user at the terminal can fix; the message says how."""


class HandshakeError(Exception):
    """The agent or the server rejected the other side; an immediate retry would fail again."""
