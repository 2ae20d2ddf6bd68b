-- Gives a player a ticket, unless one is live or this request has got one before.
-- KEYS: the player's ticket, the request, the pool's queue, its expiry, the sequence of tickets, whom the player has met.
-- ARGV: ticket id, player id, display name, pool, request's lifetime (s), now (ms), unwatched at (ms), rating.
-- Returns the outcome (joined, known, gone or live) and the ticket id that it is about.
local known = redis.call('GET', KEYS[2])
local current = redis.call('HMGET', KEYS[1], 'ticket_id', 'state')
if known then
  return {known == current[1] and 'known' or 'gone', known}
end
if current[2] == 'queued' or current[2] == 'forming' then
  return {'live', current[1]}
end
-- The score keeps the order within a millisecond and, below a thousandth of it, stays exact in a double.
local order = ARGV[6] * 1000 + redis.call('INCR', KEYS[5]) % 1000
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'ticket_id', ARGV[1], 'display_name', ARGV[3], 'pool', ARGV[4], 'state', 'queued',
  'order', string.format('%.0f', order), 'rating', ARGV[8],
  'met', table.concat(redis.call('LRANGE', KEYS[6], 0, -1), ','))
redis.call('SET', KEYS[2], ARGV[1], 'EX', ARGV[5])
redis.call('ZADD', KEYS[3], string.format('%.0f', order), ARGV[2])
redis.call('ZADD', KEYS[4], ARGV[7], ARGV[2])
return {'joined', ARGV[1]}
