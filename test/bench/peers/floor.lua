-- The minimum work to admit one call: look up the batch, count the call in its windows and
-- its month, and store the answer.
-- KEYS: the batch, the owner's counters; ARGV: { limits, seed } as JSON.
local known = redis.call('GET', KEYS[1])
if known then return known end

local request = cjson.decode(ARGV[1])
local now = tonumber(redis.call('TIME')[1])
local windows = {
  { 'minute', math.floor(now / 60) },
  { 'hour', math.floor(now / 3600) },
  { 'day', math.floor(now / 86400) },
  { 'month', request.seed.month },
}
local stored = redis.call('HMGET', KEYS[2], 'minute', 'minute_at', 'hour', 'hour_at', 'day', 'day_at',
  'month', 'month_at')

local answer = { verdict = 'admitted', month = request.seed.month }
local fields = {}
for index, window in ipairs(windows) do
  local name, at = window[1], tostring(window[2])
  local used = stored[2 * index] == at and tonumber(stored[2 * index - 1]) or 0
  if used >= request.limits[name] then answer = { verdict = 'refused', window = name } end
  for _, field in ipairs({ name, used + 1, name .. '_at', at }) do table.insert(fields, field) end
end

local text = cjson.encode({ now = now, answer = answer })
redis.call('SET', KEYS[1], text, 'EX', 600)
if answer.verdict == 'admitted' then
  redis.call('HSET', KEYS[2], unpack(fields))
  if stored[2] ~= tostring(windows[1][2]) then redis.call('EXPIRE', KEYS[2], 40 * 86400) end
end
return text
