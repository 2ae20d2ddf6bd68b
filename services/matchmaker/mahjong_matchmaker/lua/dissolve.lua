-- Gives a match up that got no table: its tickets go back to where they stood in the pool, but for those that are
-- dropped or were cancelled meanwhile.
-- KEYS: the lease, the pool's queue, its expiry, its matches, the players' tickets.
-- ARGV: the leader's token, match id, unwatched at (ms), lifetime of ended tickets (s), then ticket id, player id and
-- whether to drop it (1 or 0) of each ticket.
-- Returns done (also if it was done before), or fenced if another replica leads.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 'fenced'
end
if redis.call('HDEL', KEYS[4], ARGV[2]) == 0 then
  return 'done'
end
for index = 5, #KEYS do
  local first = (index - 5) * 3 + 5
  local current = redis.call('HMGET', KEYS[index], 'ticket_id', 'order', 'cancel_wanted')
  if current[1] == ARGV[first] then
    redis.call('HDEL', KEYS[index], 'match_id')
    if ARGV[first + 2] == '1' or current[3] then
      redis.call('HSET', KEYS[index], 'state', 'cancelled')
      redis.call('EXPIRE', KEYS[index], ARGV[4])
    else
      redis.call('HSET', KEYS[index], 'state', 'queued')
      redis.call('ZADD', KEYS[2], current[2], ARGV[first + 1])
      redis.call('ZADD', KEYS[3], ARGV[3], ARGV[first + 1])
    end
  end
end
return 'done'
