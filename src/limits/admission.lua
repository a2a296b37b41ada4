-- Checks every window and the month for each call in turn, then adds 1 to all or to none. Calls of
-- one owner that ask together come together, so all keys are in one slot.
-- KEYS: the owner's counters, the batch; then the sessions
-- ARGV: one JSON, `Asked` in counters.ts: a text for each part of each call costs both sides more
-- Returns one JSON, `Said` there
local asked = cjson.decode(ARGV[1])
-- By window; one that does not hold has none.
local limits = asked.limits
for name, most in pairs(limits) do
  if most == cjson.null then limits[name] = nil end
end
local REMEMBER_ADMITTED = 600
-- Shorter, since nothing but memory bounds how many refusals an owner can make.
local REMEMBER_REFUSED = 30
local KEEP_COUNTERS = 40 * 86400

-- What was said of these calls when they came the first time, and which were given up before.
local counters, batch = KEYS[1], KEYS[2]
local given_up = {}
local kept = redis.call('HGETALL', batch)
for at = 1, #kept, 2 do
  if kept[at] == 'answers' then return kept[at + 1] end
  given_up[kept[at]] = true
end

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

-- Keeps a live session alive and answers its version, or why it is none.
local function look_after(key, session)
  local credential, version = unpack(redis.call('HMGET', key, 'credential', 'version'))
  if credential ~= session.credential then return { status = 'gone' } end
  if session.version and session.version ~= version then return { status = 'version_mismatch' } end
  redis.call('EXPIRE', key, session.lifetime_seconds)
  return { status = 'live', version = version or '' }
end

-- Whether the month can be counted: a seed says what was used at least, so it is set where nothing
-- is, and never lowers or adds.
local function has_month(seed)
  local calls = seed and seed.month == month and seed.calls
  if not month_used and not calls then return false end
  if calls and (not month_used or month_used < calls) then
    month_used = calls
    is_month_raised = true
  end
  return true
end

-- Adds 1 to every window that holds and answers nil, or the name, limit and end of a full one and
-- adds nothing. Of several full ones it names the one that opens last, so that waiting for it is
-- enough.
local function take()
  local name, limit, ends
  for _, window in ipairs(windows) do
    local most = limits[window.name]
    if most and window.used >= most then name, limit, ends = window.name, most, window.ends end
  end
  if limits.month and month_used >= limits.month then
    name, limit, ends = 'month', limits.month, next_first * 86400
  end
  if name then return name, limit, ends end

  for _, window in ipairs(windows) do
    if limits[window.name] then
      window.used = window.used + 1
      window.is_raised = true
    end
  end
  if limits.month then
    month_used = month_used + 1
    is_month_raised = true
  end
  return nil
end

-- What was given up is remembered as long as a call that was admitted.
local remember = #kept > 0 and REMEMBER_ADMITTED or REMEMBER_REFUSED
local function count(at, seed)
  if given_up[tostring(at)] then return { verdict = 'released' } end
  if limits.month and not has_month(seed) then return { verdict = 'unseeded', month = month } end
  local window, limit, ends = take()
  if window then
    local wait = math.max(1, ends - now)
    return { verdict = 'refused', window = window, limit = limit, wait = wait }
  end
  remember = REMEMBER_ADMITTED
  return { verdict = 'admitted', month = limits.month and month or '' }
end

local sessions = {}
for at, session in ipairs(asked.sessions) do sessions[at] = look_after(KEYS[at + 2], session) end
local calls = {}
for at, call in ipairs(asked.calls) do
  local session = call.session and sessions[call.session + 1]
  local is_countable = not session or session.status == 'live'
  calls[at] = is_countable and count(at, call.seed) or { verdict = 'uncounted' }
end
-- A lone call without a session fits into a small hash this way, which takes half the memory.
local text = cjson.encode({ sessions = #sessions > 0 and sessions or nil, calls = calls })
redis.call('HSET', batch, 'answers', text, 'minute', windows[1].number)
redis.call('EXPIRE', batch, remember)

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
return text
