from quartet.kernel.auth import sessions_table
from quartet.media.metadata import metadata

sessions = sessions_table(metadata)
