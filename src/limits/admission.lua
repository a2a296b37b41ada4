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

-- Numbers until the last call is answered: Lua makes a text anew for each use of it.
local stored = redis.call('HMGET', counters, unpack(FIELDS))
local windows = {}
for at, window in ipairs(WINDOWS) do
  local number = floor(now / window[2])
  windows[at] = {
    name = window[1],
    number = number,
    used = stored[2 * at] == tostring(number) and tonumber(stored[2 * at - 1]) or 0,
    ends = (number + 1) * window[2],
    is_raised = false,
  }
end
local month_used = stored[8] == month and tonumber(stored[7])
local is_month_raised = false

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
  if not month_used and not seed then return false end
  if seed and (not month_used or month_used < seed) then
    month_used = seed
    is_month_raised = true
  end
  return true
end

-- Adds 1 to every window that holds and answers nil, or the name, limit and end of a full one and
-- adds nothing. Of several full ones it names the one that opens last, so that waiting for it is
-- enough. `values` is where the limits stand in ARGV.
local function take(values, month_limit)
  local name, limit, ends
  for at, window in ipairs(windows) do
    local most = tonumber(ARGV[values + at])
    if most and window.used >= most then name, limit, ends = window.name, most, window.ends end
  end
  if month_limit and month_used >= month_limit then
    name, limit, ends = 'month', month_limit, next_first * 86400
  end
  if name then return name, limit, ends end

  for at, window in ipairs(windows) do
    if ARGV[values + at] ~= '' then
      window.used = window.used + 1
      window.is_raised = true
    end
  end
  if month_limit then
    month_used = month_used + 1
    is_month_raised = true
  end
  return nil
end

local function refused(state, version, window, limit, ends)
  local wait = math.max(1, ends - now)
  return { state, version, 'refused', window, tostring(limit), tostring(wait), '' }
end

local function admitted(state, version, counted_month)
  return { state, version, 'admitted', '', '', '', counted_month }
end

local function admit(call)
  local seen, values = KEYS[2 * call], (call - 1) * VALUES
  local state, version =
    look_after(KEYS[2 * call + 1], ARGV[values + 7], ARGV[values + 8], ARGV[values + 9])
  if not state then return version end

  -- A call id seen before gets its first answer, uncounted.
  local first = redis.call('GET', seen)
  if first then
    local counted_month = string.match(first, '^admitted (%S*) ')
    if counted_month then return admitted(state, version, counted_month) end
    local window, limit, ends = string.match(first, '^refused (%a+) (%d+) (%d+)$')
    if window then return refused(state, version, window, limit, tonumber(ends)) end
    return { state, version, 'released', '', '', '', '' }
  end

  local month_limit = tonumber(ARGV[values + 4])
  if month_limit and not has_month(ARGV[values + 5], ARGV[values + 6]) then
    return { state, version, 'unseeded', '', '', '', month }
  end
  local window, limit, ends = take(values, month_limit)
  if window then
    local text = 'refused ' .. window .. ' ' .. limit .. ' ' .. ends
    redis.call('SET', seen, text, 'EX', REMEMBER_REFUSED)
    return refused(state, version, window, limit, ends)
  end
  local counted_month = month_limit and month or ''
  local text = 'admitted ' .. counted_month .. ' ' .. windows[1].number
  redis.call('SET', seen, text, 'EX', REMEMBER_ADMITTED)
  return admitted(state, version, counted_month)
end

local answers = {}
for call = 1, (#KEYS - 1) / 2 do answers[call] = admit(call) end

local fields = {}
local function store(field, value)
  fields[#fields + 1] = field
  fields[#fields + 1] = value
end
for _, window in ipairs(windows) do
  if window.is_raised then
    store(window.name, window.used)
    store(window.name .. '_at', window.number)
  end
end
if is_month_raised then
  store('month', month_used)
  store('month_at', month)
end
if #fields > 0 then
  redis.call('HSET', counters, unpack(fields))
  redis.call('EXPIRE', counters, KEEP_COUNTERS)
end
return answers
