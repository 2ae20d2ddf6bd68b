-- Brings the projection of one table up to date, atomically.
-- KEYS: 1 epoch of the shard, 2 table, 3 deadlines of the shard, from 4 on the events of the seats that follow.
-- ARGV: 1 epoch, 2 log sequence, 3 sequence that the projection must have, '' if all is sent and it may have any or none,
--   4 lifetime of keys in ms, 5 deadline in ms, '' if there is none, '=' if it stays, 6 table id, 7 events kept per seat,
--   8 number of field names and values, the fields, then for each key of events: seat, sequence of the first event,
--   number of events, the events.
-- Returns 1 done, 0 nothing newer, -1 another worker owns the shard, 2 the projection is not what it must be: send all;
--   if all is sent, which is all but the events, the newest sequence of each key of events instead of 1.
local epoch = tonumber(redis.call('GET', KEYS[1]) or '0')
if epoch > tonumber(ARGV[1]) then return -1 end
if epoch < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[1]) end

local known = redis.call('HGET', KEYS[2], 'sequence')
if known and tonumber(known) > tonumber(ARGV[2]) then return 0 end
local whole = ARGV[3] == ''
if not whole and known ~= ARGV[3] then return 2 end

local fields = tonumber(ARGV[8])
redis.call('HSET', KEYS[2], 'sequence', ARGV[2], unpack(ARGV, 9, 8 + fields))
if whole then redis.call('PEXPIRE', KEYS[2], ARGV[4]) end

if ARGV[5] == '' then redis.call('ZREM', KEYS[3], ARGV[6])
elseif ARGV[5] ~= '=' then redis.call('ZADD', KEYS[3], ARGV[5], ARGV[6]) end

local at, heads = 9 + fields, {}
for i = 4, #KEYS do
  local field, first, count = 'head' .. ARGV[at], tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local head = tonumber(redis.call('HGET', KEYS[2], field) or '0')
  local last = first + count - 1
  if first > head + 1 then redis.call('DEL', KEYS[i]) end  -- A gap: what is older is of no use any more.
  for n = math.max(first, head + 1), last do
    redis.call('XADD', KEYS[i], 'MAXLEN', '~', ARGV[7], n .. '-0', 'e', ARGV[at + 3 + n - first])
  end
  if last > head then redis.call('HSET', KEYS[2], field, last) end
  heads[i - 3] = math.max(head, last)
  if whole or first > head + 1 or head == 0 then redis.call('PEXPIRE', KEYS[i], ARGV[4]) end
  at = at + 3 + count
end
if whole then return heads end
return 1
