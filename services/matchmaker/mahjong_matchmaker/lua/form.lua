-- Takes the tickets of a planned match out of the pool and writes the match down, all or nothing.
-- KEYS: the lease, the pool's queue, its expiry, its matches, the players' tickets.
-- ARGV: the leader's token, match id, the match, then ticket id and player id of each ticket.
-- Returns formed, or stale if a ticket has left the pool meanwhile, or fenced if another replica leads.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 'fenced'
end
if redis.call('HEXISTS', KEYS[4], ARGV[2]) == 1 then
  return 'formed' -- The answer to the first call was lost on its way.
end
for index = 5, #KEYS do
  local current = redis.call('HMGET', KEYS[index], 'ticket_id', 'state')
  if current[1] ~= ARGV[index * 2 - 6] or current[2] ~= 'queued' then
    return 'stale'
  end
end
redis.call('HSET', KEYS[4], ARGV[2], ARGV[3])
for index = 5, #KEYS do
  redis.call('HSET', KEYS[index], 'state', 'forming', 'match_id', ARGV[2])
  redis.call('ZREM', KEYS[2], ARGV[index * 2 - 5])
  redis.call('ZREM', KEYS[3], ARGV[index * 2 - 5])
end
return 'formed'
