-- Checks every window and the month, then adds 1 to all or to none. One call, one slot.
-- KEYS: the owner's counters, this call id, the session (if asked)
-- ARGV: limits of minute, hour, day, month ('' where none holds), seed and its month ('' if none),
--       the session's credential, version as sent ('' if not) and lifetime in seconds
-- Returns: session state, session version, verdict, window, limit, seconds to wait, month
local REMEMBER_ADMITTED = 600
-- Shorter, since nothing but memory bounds how many refusals an owner can make.
local REMEMBER_REFUSED = 30
local KEEP_COUNTERS = 40 * 86400

local counters, seen, session = KEYS[1], KEYS[2], KEYS[3]
local now = tonumber(redis.call('TIME')[1])
local month, next_first = month_of(floor(now / 86400))

local state, version = '', ''
if session then
  local stored = redis.call('HMGET', session, 'credential', 'version')
  if stored[1] ~= ARGV[7] then return { 'gone', '', 'uncounted', '', '', '', '' } end
  version = stored[2] or ''
  if ARGV[8] ~= '' and ARGV[8] ~= version then
    return { 'version_mismatch', '', 'uncounted', '', '', '', '' }
  end
  redis.call('EXPIRE', session, ARGV[9])
  state = 'live'
end

local function answer(verdict, window, limit, wait, counted_month)
  return { state, version, verdict, window, tostring(limit), tostring(wait), counted_month }
end

local function refused(window, limit, ends)
  return answer('refused', window, limit, math.max(1, ends - now), '')
end

-- A call id seen before gets its first answer, uncounted.
local first = redis.call('GET', seen)
if first then
  local counted_month = string.match(first, '^admitted (%S*) ')
  if counted_month then return answer('admitted', '', '', '', counted_month) end
  local window, limit, ends = string.match(first, '^refused (%a+) (%d+) (%d+)$')
  if window then return refused(window, limit, tonumber(ends)) end
  return answer('released', '', '', '', '')
end

local stored = {}
local values = redis.call('HMGET', counters, unpack(FIELDS))
for at, field in ipairs(FIELDS) do stored[field] = values[at] end

local month_limit = tonumber(ARGV[4])
local used_month
if month_limit then
  -- A seed says what was used at least: it is set where nothing is, and never lowers or adds.
  local seed = ARGV[6] == month and tonumber(ARGV[5])
  used_month = stored.month_at == month and tonumber(stored.month) or seed
  if not used_month then return answer('unseeded', '', '', '', month) end
  if seed and (stored.month_at ~= month or used_month < seed) then
    used_month = seed
    redis.call('HSET', counters, 'month', used_month, 'month_at', month)
    redis.call('EXPIRE', counters, KEEP_COUNTERS)
  end
end

-- Of several full windows the one that opens last is named, so that waiting for it is enough.
local full
local next_values = {}
for at, window in ipairs(WINDOWS) do
  local name, seconds = window[1], window[2]
  local limit = tonumber(ARGV[at])
  if limit then
    local number = floor(now / seconds)
    local used = stored[name .. '_at'] == tostring(number) and tonumber(stored[name]) or 0
    if used >= limit then full = { name, limit, (number + 1) * seconds } end
    table.insert(next_values, name)
    table.insert(next_values, used + 1)
    table.insert(next_values, name .. '_at')
    table.insert(next_values, number)
  end
end
if month_limit and used_month >= month_limit then
  full = { 'month', month_limit, next_first * 86400 }
end

if full then
  local text = 'refused ' .. full[1] .. ' ' .. full[2] .. ' ' .. full[3]
  redis.call('SET', seen, text, 'EX', REMEMBER_REFUSED)
  return refused(full[1], full[2], full[3])
end

local counted_month = ''
if month_limit then
  counted_month = month
  table.insert(next_values, 'month')
  table.insert(next_values, used_month + 1)
end
redis.call('HSET', counters, unpack(next_values))
redis.call('EXPIRE', counters, KEEP_COUNTERS)
local text = 'admitted ' .. counted_month .. ' ' .. floor(now / 60)
redis.call('SET', seen, text, 'EX', REMEMBER_ADMITTED)
return answer('admitted', '', '', '', counted_month)
