-- Opens a room; a repeated request gets the room of the first.
-- KEYS: the request, the room, its code, its watchers, the list of public rooms, the host's room, what the request is for.
-- ARGV: the room, its id, its version, its lifetime (s), the code's lifetime (s), its place in the list or an empty
-- text, the host, the room that the host is known to be in no longer, now (ms), what the request is for.
-- Returns the outcome (new, known, taken if the code is in use, or stale), the id of the room and what it was asked for.
local known = redis.call('GET', KEYS[1])
if known then
  return {'known', known, redis.call('GET', KEYS[7]) or ''}
end
if (redis.call('GET', KEYS[6]) or '') ~= ARGV[8] then
  return {'stale', ARGV[2], ARGV[10]}
end
if redis.call('EXISTS', KEYS[3]) == 1 then
  return {'taken', ARGV[2], ARGV[10]}
end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[5])
redis.call('SET', KEYS[7], ARGV[10], 'EX', ARGV[5])
redis.call('HSET', KEYS[2], 'version', ARGV[3], 'room', ARGV[1])
redis.call('EXPIRE', KEYS[2], ARGV[4])
redis.call('SET', KEYS[3], ARGV[2], 'EX', ARGV[5])
redis.call('HSET', KEYS[4], ARGV[7], ARGV[9])
redis.call('EXPIRE', KEYS[4], ARGV[4])
if ARGV[6] ~= '' then
  redis.call('ZADD', KEYS[5], ARGV[6], ARGV[2])
end
redis.call('SET', KEYS[6], ARGV[2], 'EX', ARGV[5])
return {'new', ARGV[2], ARGV[10]}
