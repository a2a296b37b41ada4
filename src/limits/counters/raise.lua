-- Raises each month to the ledger's total and never lowers it. A missing month stays missing: the
-- next admission seeds it with that total plus the calls that its gateway has not written yet.
-- KEYS: counters. ARGV: the month and total of each counter.
for at, key in ipairs(KEYS) do
  local month, total = ARGV[2 * at - 1], ARGV[2 * at]
  local stored = stored_in(key, { 'month_at', 'month' })
  if stored[1] == month and (tonumber(stored[2]) or 0) < tonumber(total) then
    redis.call('HSET', key, 'month', total)
  end
end
