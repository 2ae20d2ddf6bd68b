-- Tells the players of a match their table, crosses the match off and remembers who met whom and how long it took.
-- KEYS: the lease, the pool's matches, its typical wait, people seated at rated tables of late, then the players'
-- tickets, then whom each of them has met.
-- ARGV: the leader's token, match id, table id, lifetime of ended tickets (s), mean wait (ms), lifetime of the typical
-- wait (s), how many are remembered as met, for how long (s), how many people to count as seated, lifetime of that count
-- (s), then the players' ticket ids, then the players.
-- Returns done (also if it was done before), or fenced if another replica leads.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 'fenced'
end
if redis.call('HDEL', KEYS[2], ARGV[2]) == 0 then
  return 'done'
end
local people = (#KEYS - 4) / 2
for index = 1, people do
  local ticket, met = KEYS[4 + index], KEYS[4 + people + index]
  if redis.call('HGET', ticket, 'ticket_id') == ARGV[10 + index] then
    redis.call('HSET', ticket, 'state', 'matched', 'table_id', ARGV[3])
    redis.call('EXPIRE', ticket, ARGV[4])
  end
  for other = 1, people do
    if other ~= index then
      redis.call('LPUSH', met, ARGV[10 + people + other])
    end
  end
  redis.call('LTRIM', met, 0, ARGV[7] - 1)
  redis.call('EXPIRE', met, ARGV[8])
end
redis.call('INCRBY', KEYS[4], ARGV[9])
redis.call('EXPIRE', KEYS[4], ARGV[10])
local before = redis.call('GET', KEYS[3])
local typical = before and before * 0.8 + ARGV[5] * 0.2 or ARGV[5]
redis.call('SET', KEYS[3], string.format('%.0f', typical), 'EX', ARGV[6])
return 'done'
