-- Counts the players who did not come to a rated table and keeps them from rated pools, unless so many are missing that
-- the fault is likely ours.
-- KEYS: the report, people seated in this while and the one before, people missing in this while and the one before, the
-- players' cool-downs.
-- ARGV: lifetime of the report (s), lifetime of the counts (s), from how many missing the fault may be ours, from which
-- share of those seated (percent), now (ms), first cool-down (ms), longest (ms), for how long no-shows count (s).
-- Returns done, known (the report came before) or excused.
if not redis.call('SET', KEYS[1], 1, 'NX', 'EX', ARGV[1]) then
  return 'known'
end
local people = #KEYS - 5
redis.call('INCRBY', KEYS[4], people)
redis.call('EXPIRE', KEYS[4], ARGV[2])
local missing = redis.call('GET', KEYS[4]) + (redis.call('GET', KEYS[5]) or 0)
local seated = (redis.call('GET', KEYS[2]) or 0) + (redis.call('GET', KEYS[3]) or 0)
if missing >= tonumber(ARGV[3]) and missing * 100 >= seated * ARGV[4] then
  return 'excused'
end
for index = 6, #KEYS do
  local count = redis.call('HINCRBY', KEYS[index], 'count', 1)
  local length = math.min(ARGV[6] * 2 ^ (count - 1), tonumber(ARGV[7]))
  redis.call('HSET', KEYS[index], 'until', string.format('%.0f', ARGV[5] + length))
  redis.call('EXPIRE', KEYS[index], ARGV[8])
end
return 'done'
