class AgentError(Exception):
    """An error that the user at the terminal can fix; the message says how."""
