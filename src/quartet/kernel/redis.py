"""Redis URLs."""


def redis_address(url: str) -> str:
    """Convert valkey:// to redis://, because the Redis client does not accept it."""
    scheme, colon, rest = url.partition(":")
    return scheme.replace("valkey", "redis") + colon + rest
