-- Changes a room if it is still as it was read; an empty room is closed.
-- KEYS: the room, its watchers, the list of public rooms, its code, then the rooms of the players who come, of those
-- who go, and the tickets that must not be live.
-- ARGV: version as read, the room, its version, its id, its lifetime (s), the code's lifetime (s), its place in the
-- list or an empty text, now (ms), how many come, how many go, then of each who comes the player and the room that the
-- player is known to be in no longer.
-- Returns done, stale, or busy and the number of the ticket that is live.
if redis.call('HGET', KEYS[1], 'version') ~= ARGV[1] then
  return {'stale', 0}
end
local come, go = tonumber(ARGV[9]), tonumber(ARGV[10])
for index = 1, come do
  if (redis.call('GET', KEYS[4 + index]) or '') ~= ARGV[10 + index * 2] then
    return {'stale', 0}
  end
end
for index = 5 + come + go, #KEYS do
  local state = redis.call('HGET', KEYS[index], 'state')
  if state == 'queued' or state == 'forming' then
    return {'busy', index - 4 - come - go}
  end
end
for index = 1, come do
  redis.call('SET', KEYS[4 + index], ARGV[4], 'EX', ARGV[6])
  redis.call('HSET', KEYS[2], ARGV[9 + index * 2], ARGV[8])
end
for index = 5 + come, 4 + come + go do
  if redis.call('GET', KEYS[index]) == ARGV[4] then
    redis.call('DEL', KEYS[index])
  end
end
if ARGV[2] == '' then
  redis.call('DEL', KEYS[1], KEYS[2])
  redis.call('ZREM', KEYS[3], ARGV[4])
  return {'done', 0}
end
redis.call('HSET', KEYS[1], 'version', ARGV[3], 'room', ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[5])
redis.call('EXPIRE', KEYS[2], ARGV[5])
redis.call('SET', KEYS[4], ARGV[4], 'EX', ARGV[6])
if ARGV[7] == '' then
  redis.call('ZREM', KEYS[3], ARGV[4])
else
  redis.call('ZADD', KEYS[3], ARGV[7], ARGV[4])
end
return {'done', 0}
