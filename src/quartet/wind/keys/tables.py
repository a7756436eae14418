from quartet.kernel.db.shared_keys import keys_table
from quartet.wind.metadata import metadata

keys = keys_table(metadata)
