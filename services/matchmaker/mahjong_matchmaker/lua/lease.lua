-- Takes or keeps the lease of a pool. Each taking gets a greater token; scripts of a leader check theirs (the fence).
-- KEYS: the lease, the last token.
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
-- By the clock too: a store that has lost the counter must not give an old leader's token to another one.
local now = redis.call('TIME')
local token = math.max((redis.call('GET', KEYS[2]) or 0) + 1, now[1] * 1000000 + now[2]) -- microseconds
local text = string.format('%.0f', token)
redis.call('SET', KEYS[2], text)
redis.call('SET', KEYS[1], text, 'PX', ARGV[1])
return text
