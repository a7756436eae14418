"""The server's own engine: a member of every folder, and the one all devices dial."""
