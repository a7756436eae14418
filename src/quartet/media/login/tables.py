from quartet.kernel.auth import sessions_table
from quartet.media.tables import metadata

sessions = sessions_table(metadata)
