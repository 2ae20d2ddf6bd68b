"""Who owns which shard: pure decisions, with time and the store's answers passed in.

- `survey`: what the store says in one reading (`Survey` of `WorkerSeen` and `ShardSeen`), and what follows from it:
  `Survey.is_live`, `Survey.may_claim`, `Survey.stopped_at`. The store's own claim judges by the same functions, inside
  its transaction.
- `placement.desired_owner(shard, workers)`: rendezvous hashing.
- `plan.plan_round(survey, worker_id, held, limits)`: what one worker does next, as a `Plan` of bounded claims and
  releases, and the shards that it only believed to own.
- `lease.Lease`: whether a worker may still act, by its own monotonic clock.

A worker's loop is: send a heartbeat every second and tell the lease when it was *sent* and that it succeeded; read a
survey, plan, do what the plan says, again at once while there is something to do. Safety never depends on any of this:
each commit checks the epoch of its shards in its own transaction, and each change of ownership raises it.
"""
