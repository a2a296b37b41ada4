-- Undoes the count of a call that was refused because the reply was lost; if the admission has not
-- arrived yet, prevents the count.
-- KEYS: the call's counters, its batch. ARGV: its 1-based index in the batch.
-- Returns the month in which a count was undone, or ''.
local key, batch, place = KEYS[1], KEYS[2], ARGV[1]
local remembered = redis.call('GET', batch)
local known = remembered and cjson.decode(remembered) or { released = {} }
local answer
if known.calls then
  local at = tonumber(place)
  answer = known.answers[known.calls[at]].answer
  table.insert(known.answers, { answer = { verdict = 'released' } })
  known.calls[at] = #known.answers
else
  known.released[place] = true
end
redis.call('SET', batch, cjson.encode(known), 'EX', 600)
if not answer or answer.verdict ~= 'admitted' then return '' end

local stored = {}
local values = stored_in(key, FIELDS)
for at, field in ipairs(FIELDS) do stored[field] = values[at] end
local function lower(field)
  local used = tonumber(stored[field])
  if used and used > 0 then redis.call('HSET', key, field, used - 1) end
end
for _, window in ipairs(WINDOWS) do
  local number = tostring(floor(known.now / window[2]))
  if stored[window[1] .. '_at'] == number then lower(window[1]) end
end
if answer.month ~= '' and stored.month_at == answer.month then lower('month') end
return answer.month
