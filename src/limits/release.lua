-- Undoes the count of a call whose answer was lost and which was then refused, or forestalls it
-- if the admission still arrives.
-- KEYS: the owner's counters, the batch it was asked in. ARGV: its place there, from 1.
-- Returns the month undone.
local counters, batch, place = KEYS[1], KEYS[2], ARGV[1]
local is_first = redis.call('HSET', batch, place, 'given up') == 1
redis.call('EXPIRE', batch, 600)
local kept = redis.call('HMGET', batch, 'answers', 'minute')
if not is_first or not kept[1] then return '' end
local answer
local left = tonumber(place)
for _, alike in ipairs(cjson.decode(kept[1]).calls) do
  answer = alike[2]
  left = left - alike[1]
  if left <= 0 then break end
end
if answer.verdict ~= 'admitted' then return '' end
local counted_month, minute = answer.month, tonumber(kept[2])

local stored = {}
local values = redis.call('HMGET', counters, unpack(FIELDS))
for at, field in ipairs(FIELDS) do stored[field] = values[at] end
local function lower(field)
  if tonumber(stored[field]) > 0 then redis.call('HINCRBY', counters, field, -1) end
end
for _, window in ipairs(WINDOWS) do
  local number = tostring(floor(minute * 60 / window[2]))
  if stored[window[1] .. '_at'] == number then lower(window[1]) end
end
if counted_month ~= '' and stored.month_at == counted_month then lower('month') end
return counted_month
