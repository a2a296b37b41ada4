-- Brings the month up to the ledger's total and never down. An absent month stays absent: the next
-- admission seeds it with what its gateway knows besides. KEYS: counters. ARGV: month, total.
local stored = redis.call('HMGET', KEYS[1], 'month_at', 'month')
if stored[1] ~= ARGV[1] or tonumber(stored[2]) >= tonumber(ARGV[2]) then return 0 end
redis.call('HSET', KEYS[1], 'month', ARGV[2])
return 1
