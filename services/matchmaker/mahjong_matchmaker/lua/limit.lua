-- Counts something that a player may do only so often in a while.
-- KEYS: the count. ARGV: how much to count, how often it may be done, how long the while is (ms).
-- Returns 0, or how long to wait (ms) if it was done often enough.
local count = tonumber(redis.call('GET', KEYS[1]) or '0')
if count >= tonumber(ARGV[2]) then
  return math.max(redis.call('PTTL', KEYS[1]), 1)
end
if tonumber(ARGV[1]) > 0 then
  if redis.call('INCRBY', KEYS[1], ARGV[1]) == tonumber(ARGV[1]) then
    redis.call('PEXPIRE', KEYS[1], ARGV[3])
  end
end
return 0
