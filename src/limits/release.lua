-- Undoes the count of a call whose answer was lost and which was then refused, or forestalls it
-- if the admission still arrives.
-- KEYS: the owner's counters, the call id. Returns the month undone.
local counters, seen = KEYS[1], KEYS[2]
local counted_month, minute = string.match(
  redis.call('GET', seen) or '', '^admitted (%S*) (%d+)$')
redis.call('SET', seen, 'released', 'EX', 600)
if not minute then return '' end

local stored = {}
local values = redis.call('HMGET', counters, unpack(FIELDS))
for at, field in ipairs(FIELDS) do stored[field] = values[at] end
local function lower(field)
  if tonumber(stored[field]) > 0 then redis.call('HINCRBY', counters, field, -1) end
end
for _, window in ipairs(WINDOWS) do
  local number = tostring(floor(tonumber(minute) * 60 / window[2]))
  if stored[window[1] .. '_at'] == number then lower(window[1]) end
end
if counted_month ~= '' and stored.month_at == counted_month then lower('month') end
return counted_month
