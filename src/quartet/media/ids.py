"""Numbers of rows, as a request may name them."""

from typing import Annotated

import msgspec

# What a column of the database holds.
LARGEST_ID = 2**63 - 1

Id = Annotated[int, msgspec.Meta(ge=1, le=LARGEST_ID)]
