-- Drops tickets that nobody has watched for too long.
-- KEYS: the lease, the pool's queue, its expiry, tickets that seemed due.
-- ARGV: the leader's token, now (ms), lifetime of ended tickets (s), then the players of the tickets.
-- Returns the players whose tickets have expired, or fenced if another replica leads.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 'fenced'
end
local expired = {}
for index = 4, #KEYS do
  local player = ARGV[index]
  local due_at = redis.call('ZSCORE', KEYS[3], player)
  if due_at and tonumber(due_at) <= tonumber(ARGV[2]) then
    redis.call('ZREM', KEYS[2], player)
    redis.call('ZREM', KEYS[3], player)
    redis.call('HSET', KEYS[index], 'state', 'expired')
    redis.call('EXPIRE', KEYS[index], ARGV[3])
    expired[#expired + 1] = player
  end
end
return expired
