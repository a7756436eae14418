from typing import NamedTuple


class Poster(NamedTuple):
    picture: bytes
    media_type: str
