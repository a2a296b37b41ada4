-- Reads the current use of each window. KEYS: the owner's counters.
-- Returns use and end (seconds since 1970) of each window, then the month, its use ('' if not in
-- Redis) and its end.
local now = tonumber(redis.call('TIME')[1])
local month, next_first = month_of(floor(now / 86400))
local stored = {}
local values = stored_in(KEYS[1], FIELDS)
for at, field in ipairs(FIELDS) do stored[field] = values[at] end

local result = {}
for _, window in ipairs(WINDOWS) do
  local name, number = window[1], floor(now / window[2])
  local is_current = stored[name .. '_at'] == tostring(number)
  table.insert(result, is_current and tonumber(stored[name]) and stored[name] or '0')
  table.insert(result, tostring((number + 1) * window[2]))
end
table.insert(result, month)
local is_known = stored.month_at == month and tonumber(stored.month)
table.insert(result, is_known and stored.month or '')
table.insert(result, tostring(next_first * 86400))
return result
