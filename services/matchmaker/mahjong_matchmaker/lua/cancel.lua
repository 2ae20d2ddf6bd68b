-- Takes a ticket out of its pool; one whose table is being made remembers the wish in case it gets none.
-- KEYS: the player's ticket, the pool's queue, its expiry.
-- ARGV: ticket id, player id, lifetime of ended tickets (s).
-- Returns the ticket's state before, or false if it is not the player's newest.
local current = redis.call('HMGET', KEYS[1], 'ticket_id', 'state')
if current[1] ~= ARGV[1] then
  return false
end
if current[2] == 'queued' then
  redis.call('HSET', KEYS[1], 'state', 'cancelled')
  redis.call('EXPIRE', KEYS[1], ARGV[3])
  redis.call('ZREM', KEYS[2], ARGV[2])
  redis.call('ZREM', KEYS[3], ARGV[2])
elseif current[2] == 'forming' then
  redis.call('HSET', KEYS[1], 'cancel_wanted', 1)
end
return current[2]
