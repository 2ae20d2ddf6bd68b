-- Takes or keeps the lease of a pool. Each taking gets a greater token; scripts of a leader check theirs (the fence).
-- KEYS: the lease, the counter of tokens.
-- ARGV: lifetime (ms), the own token or an empty text.
-- Returns the own token, or false if another replica leads.
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[2] then
  return false
end
if holder then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  return holder
end
if ARGV[2] ~= '' then
  return false
end
local token = redis.call('INCR', KEYS[2])
redis.call('SET', KEYS[1], token, 'PX', ARGV[1])
return tostring(token)
