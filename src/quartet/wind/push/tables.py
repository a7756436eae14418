from quartet.kernel.push.tables import subscriptions_table
from quartet.wind.metadata import metadata

subscriptions = subscriptions_table(metadata, accounts="users.id")
