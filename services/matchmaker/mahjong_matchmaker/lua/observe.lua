-- Reads tickets; those that are being watched have their expiry put off, so that only unwatched ones expire.
-- KEYS: a pool's queue, its expiry, its typical wait, tickets of players that were seen in the pool.
-- ARGV: unwatched at (ms) or an empty text if nobody watches, then the players of the tickets.
-- Returns the number of tickets in the queue, the order of the oldest, the typical wait (ms) or an empty text, and the
-- fields of each ticket.
local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
local seen = {redis.call('ZCARD', KEYS[1]), oldest[2] or '0', redis.call('GET', KEYS[3]) or ''}
for index = 4, #KEYS do
  if ARGV[1] ~= '' then
    redis.call('ZADD', KEYS[2], 'XX', ARGV[1], ARGV[index - 2])
  end
  seen[index] = redis.call('HMGET', KEYS[index], 'ticket_id', 'state', 'order', 'match_id', 'table_id', 'party')
end
return seen
