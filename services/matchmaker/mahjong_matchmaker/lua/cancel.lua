-- Takes a ticket and those of its party out of their pool; those whose table is being made remember the wish in case they
-- get none.
-- KEYS: the pool's queue, its expiry, the player's ticket, those of the others of the party.
-- ARGV: ticket id, lifetime of ended tickets (s), the players of the tickets.
-- Returns the ticket's state before, or false if it is not the player's newest.
local ticket_id, state, party, order = unpack(redis.call('HMGET', KEYS[3], 'ticket_id', 'state', 'party', 'order'))
if ticket_id ~= ARGV[1] then
  return false
end
for index = 3, #KEYS do
  local one = redis.call('HMGET', KEYS[index], 'state', 'party', 'order')
  local is_of_party = one[1] == state and one[2] == party and one[3] == order
  if is_of_party and state == 'queued' then
    redis.call('HSET', KEYS[index], 'state', 'cancelled')
    redis.call('EXPIRE', KEYS[index], ARGV[2])
    redis.call('ZREM', KEYS[1], ARGV[index])
    redis.call('ZREM', KEYS[2], ARGV[index])
  elseif is_of_party and state == 'forming' then
    redis.call('HSET', KEYS[index], 'cancel_wanted', 1)
  end
end
return state
