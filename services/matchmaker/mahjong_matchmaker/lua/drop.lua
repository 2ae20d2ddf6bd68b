-- Ends tickets that wait.
-- KEYS: the lease, the pool's queue, its expiry, the tickets.
-- ARGV: the leader's token, lifetime of ended tickets (s), then ticket id and player of each.
-- Returns the players whose tickets have ended, or fenced if another replica leads.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 'fenced'
end
local dropped = {}
for index = 4, #KEYS do
  local first = index * 2 - 5
  local current = redis.call('HMGET', KEYS[index], 'ticket_id', 'state')
  if current[1] == ARGV[first] and current[2] == 'queued' then
    redis.call('ZREM', KEYS[2], ARGV[first + 1])
    redis.call('ZREM', KEYS[3], ARGV[first + 1])
    redis.call('HSET', KEYS[index], 'state', 'cancelled')
    redis.call('EXPIRE', KEYS[index], ARGV[2])
    dropped[#dropped + 1] = ARGV[first + 1]
  end
end
return dropped
