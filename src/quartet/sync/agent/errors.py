class AgentError(Exception):
    """Something the person at the terminal can mend, in words."""
