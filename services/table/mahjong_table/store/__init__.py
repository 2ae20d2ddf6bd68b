"""The table service's database: the decision log, shard epochs, and the outbox."""
