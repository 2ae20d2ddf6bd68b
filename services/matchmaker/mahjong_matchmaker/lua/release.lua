-- Gives the lease of a pool back.
-- KEYS: the lease. ARGV: the own token.
if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('DEL', KEYS[1])
end
