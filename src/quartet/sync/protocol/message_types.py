"""What the messages of the protocol have in common."""

from typing import Annotated

import msgspec
from msgspec import Meta

from quartet.sync.protocol.limits import LARGEST_NUMBER

Count = Annotated[int, Meta(ge=0, le=LARGEST_NUMBER)]
Code = Annotated[str, Meta(pattern="^[a-z][a-z0-9_]{0,63}$")]
EngineId = Annotated[str, Meta(pattern="^([A-Z2-7]{7}-){7}[A-Z2-7]{7}$")]
EngineFolderId = Annotated[str, Meta(pattern="^[a-z0-9-]{1,64}$")]
FolderName = Annotated[str, Meta(max_length=255)]
Version = Annotated[str, Meta(max_length=64)]
Input = Annotated[str, Meta(max_length=1000)] | int
Inputs = Annotated[dict[Annotated[str, Meta(max_length=64)], Input], Meta(max_length=16)]


class Message(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, tag_field="type"):
    """Base of all messages; the tag of the struct becomes its `type`."""


class MessagePart(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Base of the objects inside messages."""
