-- Writes a practice match down before its table is made; a repeated request gets the match of the first.
-- KEYS: the practice request, the player's ticket.
-- ARGV: the match, the request's lifetime (s).
-- Returns the outcome (new, known or live) and the match, or for live the id of the player's live ticket.
local known = redis.call('GET', KEYS[1])
if known then
  return {'known', known}
end
local current = redis.call('HMGET', KEYS[2], 'ticket_id', 'state')
if current[2] == 'queued' or current[2] == 'forming' then
  return {'live', current[1]}
end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
return {'new', ARGV[1]}
