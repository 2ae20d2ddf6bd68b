-- Brings the projection of one table up to date, atomically.
-- KEYS: 1 epoch of the shard, 2 table, 3 deadlines of the shard, 4-7 events of seats 0-3.
-- ARGV: 1 epoch, 2 log sequence, 3 '1' if all is sent that a lost projection needs, 4 lifetime of keys in ms,
--   5 deadline in ms or '', 6 table id, 7 events kept per seat, 8 number of field names and values, the fields, then events:
--   seat, sequence, event.
-- Returns 1 done, 0 nothing newer, -1 another worker owns the shard, 2 the projection was lost: send all.
local epoch = tonumber(redis.call('GET', KEYS[1]) or '0')
if epoch > tonumber(ARGV[1]) then return -1 end
if epoch < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[1]) end

local known = redis.call('HMGET', KEYS[2], 'sequence', 'head0', 'head1', 'head2', 'head3')
if not known[1] and ARGV[3] ~= '1' then return 2 end
if known[1] and tonumber(known[1]) > tonumber(ARGV[2]) then return 0 end

local fields = tonumber(ARGV[8])
for i = 9, 8 + fields, 2 do redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1]) end
redis.call('HSET', KEYS[2], 'sequence', ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[4])

if ARGV[5] == '' then redis.call('ZREM', KEYS[3], ARGV[6]) else redis.call('ZADD', KEYS[3], ARGV[5], ARGV[6]) end

for i = 9 + fields, #ARGV, 3 do
  local seat, sequence = tonumber(ARGV[i]), tonumber(ARGV[i + 1])
  local key, head = KEYS[4 + seat], tonumber(known[2 + seat] or '0')
  if sequence > head then
    if sequence ~= head + 1 then redis.call('DEL', key) end  -- A gap: what is older is of no use any more.
    redis.call('XADD', key, 'MAXLEN', '~', ARGV[7], sequence .. '-0', 'e', ARGV[i + 2])
    redis.call('PEXPIRE', key, ARGV[4])
    redis.call('HSET', KEYS[2], 'head' .. seat, sequence)
    known[2 + seat] = tostring(sequence)
  end
end
return 1
