-- Queues the people of a room as a party if the room is still as it was read, all or nobody.
-- KEYS: the room, its watchers, the list of public rooms, the pool's queue, its expiry, the sequence of tickets, the
-- players' tickets, then whom each of them has met.
-- ARGV: version as read, the room, its version, its id, its lifetime (s), pool, now (ms), unwatched at (ms), the players
-- of the party as they are kept in its tickets, then ticket id, player id, display name and rating of each.
-- Returns done, stale, or busy and the number of the player whose ticket is live.
if redis.call('HGET', KEYS[1], 'version') ~= ARGV[1] then
  return {'stale', 0}
end
local people = (#KEYS - 6) / 2
for index = 7, 6 + people do
  local state = redis.call('HGET', KEYS[index], 'state')
  if state == 'queued' or state == 'forming' then
    return {'busy', index - 6}
  end
end
local order = string.format('%.0f', ARGV[7] * 1000 + redis.call('INCR', KEYS[6]) % 1000)
for index = 7, 6 + people do
  local first = 10 + (index - 7) * 4
  redis.call('DEL', KEYS[index])
  redis.call('HSET', KEYS[index], 'ticket_id', ARGV[first], 'display_name', ARGV[first + 2], 'pool', ARGV[6],
    'state', 'queued', 'order', order, 'rating', ARGV[first + 3], 'party', ARGV[9],
    'met', table.concat(redis.call('LRANGE', KEYS[index + people], 0, -1), ','))
  redis.call('ZADD', KEYS[4], order, ARGV[first + 1])
  redis.call('ZADD', KEYS[5], ARGV[8], ARGV[first + 1])
end
redis.call('HSET', KEYS[1], 'version', ARGV[3], 'room', ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[5])
redis.call('EXPIRE', KEYS[2], ARGV[5])
redis.call('ZREM', KEYS[3], ARGV[4])
return {'done', 0}
