-- Tells the players of a match their table and crosses the match off.
-- KEYS: the lease, the pool's matches, the players' tickets.
-- ARGV: the leader's token, match id, table id, lifetime of ended tickets (s), ticket ids.
-- Returns done (also if it was done before), or fenced if another replica leads.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 'fenced'
end
if redis.call('HDEL', KEYS[2], ARGV[2]) == 1 then
  for index = 3, #KEYS do
    if redis.call('HGET', KEYS[index], 'ticket_id') == ARGV[index + 2] then
      redis.call('HSET', KEYS[index], 'state', 'matched', 'table_id', ARGV[3])
      redis.call('EXPIRE', KEYS[index], ARGV[4])
    end
  end
end
return 'done'
