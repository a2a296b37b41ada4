-- Brings each month up to the ledger's total and never down. An absent month stays absent: the next
-- admission seeds it with what its gateway knows besides. KEYS: counters. ARGV: month, total of each.
for at, key in ipairs(KEYS) do
  local month, total = ARGV[2 * at - 1], ARGV[2 * at]
  local stored = stored_in(key, { 'month_at', 'month' })
  if stored[1] == month and (tonumber(stored[2]) or 0) < tonumber(total) then
    redis.call('HSET', key, 'month', total)
  end
end
