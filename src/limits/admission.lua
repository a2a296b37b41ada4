-- Checks every window and the month for each call in turn, then adds 1 to all or to none. Calls of
-- one owner that ask together come together, so all keys are in one slot.
-- KEYS: the owner's counters; then of each call its id and its session (its id again if none is asked)
-- ARGV: of each call nine: limits of minute, hour, day, month ('' where none holds), seed and its
--       month ('' if none), the session's credential ('' if none is asked), version as sent ('' if
--       not) and lifetime in seconds
-- Returns of each call: session state, session version, verdict, window, limit, seconds to wait, month
local VALUES = 9
local REMEMBER_ADMITTED = 600
-- Shorter, since nothing but memory bounds how many refusals an owner can make.
local REMEMBER_REFUSED = 30
local KEEP_COUNTERS = 40 * 86400

local counters = KEYS[1]
local now = tonumber(redis.call('TIME')[1])
local month, next_first = month_of(floor(now / 86400))

local stored = {}
for at, value in ipairs(redis.call('HMGET', counters, unpack(FIELDS))) do
  stored[FIELDS[at]] = value
end
local changed = {}
local function store(field, value)
  stored[field] = tostring(value)
  changed[field] = true
end

local function uncounted(state) return { state, '', 'uncounted', '', '', '', '' } end

-- The state and version of the session; a session that is not live is answered instead.
local function look_after(session, credential, sent_version, lifetime)
  if credential == '' then return '', '' end
  local kept = redis.call('HMGET', session, 'credential', 'version')
  if kept[1] ~= credential then return nil, uncounted('gone') end
  local version = kept[2] or ''
  if sent_version ~= '' and sent_version ~= version then
    return nil, uncounted('version_mismatch')
  end
  redis.call('EXPIRE', session, lifetime)
  return 'live', version
end

-- Whether the month can be counted: a seed says what was used at least, so it is set where nothing
-- is, and never lowers or adds.
local function has_month(seed_calls, seed_month)
  local seed = seed_month == month and tonumber(seed_calls)
  local used = stored.month_at == month and tonumber(stored.month)
  if not used and not seed then return false end
  if seed and (not used or used < seed) then
    store('month', seed)
    store('month_at', month)
  end
  return true
end

-- Adds 1 to every window that holds and answers nil, or names a full one and adds nothing. Of
-- several full ones it names the one that opens last, so that waiting for it is enough.
local function take(limits, month_limit)
  local full
  local raised = {}
  for at, window in ipairs(WINDOWS) do
    local name, seconds = window[1], window[2]
    if limits[at] then
      local number = floor(now / seconds)
      local used = stored[name .. '_at'] == tostring(number) and tonumber(stored[name]) or 0
      if used >= limits[at] then full = { name, limits[at], (number + 1) * seconds } end
      table.insert(raised, { name, used + 1, number })
    end
  end
  if month_limit and tonumber(stored.month) >= month_limit then
    full = { 'month', month_limit, next_first * 86400 }
  end
  if full then return full end

  for _, window in ipairs(raised) do
    store(window[1], window[2])
    store(window[1] .. '_at', window[3])
  end
  if month_limit then store('month', tonumber(stored.month) + 1) end
  return nil
end

local function admit(seen, session, values)
  local state, version = look_after(session, values[7], values[8], values[9])
  if not state then return version end
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

  local month_limit = tonumber(values[4])
  if month_limit and not has_month(values[5], values[6]) then
    return answer('unseeded', '', '', '', month)
  end
  local limits = { tonumber(values[1]), tonumber(values[2]), tonumber(values[3]) }
  local full = take(limits, month_limit)
  if full then
    local text = 'refused ' .. full[1] .. ' ' .. full[2] .. ' ' .. full[3]
    redis.call('SET', seen, text, 'EX', REMEMBER_REFUSED)
    return refused(full[1], full[2], full[3])
  end
  local counted_month = month_limit and month or ''
  local text = 'admitted ' .. counted_month .. ' ' .. floor(now / 60)
  redis.call('SET', seen, text, 'EX', REMEMBER_ADMITTED)
  return answer('admitted', '', '', '', counted_month)
end

local answers = {}
for call = 1, (#KEYS - 1) / 2 do
  local values = { unpack(ARGV, (call - 1) * VALUES + 1, call * VALUES) }
  answers[call] = admit(KEYS[2 * call], KEYS[2 * call + 1], values)
end

local fields = {}
for field in pairs(changed) do
  table.insert(fields, field)
  table.insert(fields, stored[field])
end
if #fields > 0 then
  redis.call('HSET', counters, unpack(fields))
  redis.call('EXPIRE', counters, KEEP_COUNTERS)
end
return answers
