"""The address of Redis, the same for all who connect to it."""


def redis_address(url: str) -> str:
    """In the words of Redis's own client, to which Valkey's are strange."""
    scheme, colon, rest = url.partition(":")
    return scheme.replace("valkey", "redis") + colon + rest
