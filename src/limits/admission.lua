-- Checks every window and the month for each call in turn, then adds 1 to all or to none. Calls of
-- one owner that ask together come together, so all keys are in one slot.
-- KEYS: the owner's counters, the batch; then the sessions
-- ARGV: one JSON, `Asked` in admission-text.ts: a text for each part of each call costs both sides more
-- Returns one JSON, `Said` there
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

local asked = cjson.decode(ARGV[1])
local now = tonumber(redis.call('TIME')[1])
local month, next_first = month_of(floor(now / 86400))

-- What limits the calls, from the shortest to the month; a window without a limit does not. `at` is
-- a text as it is stored: Lua makes it anew for each use of a number.
local stored = redis.call('HMGET', counters, unpack(FIELDS))
local minute = floor(now / 60)
local holding = {}
for at, window in ipairs(WINDOWS) do
  local name, seconds = unpack(window)
  local most = asked.limits[name]
  if most ~= cjson.null then
    local number = floor(now / seconds)
    local is_current = tonumber(stored[2 * at]) == number
    table.insert(holding, {
      name = name,
      most = most,
      at = is_current and stored[2 * at] or tostring(number),
      used = is_current and tonumber(stored[2 * at - 1]) or 0,
      ends = (number + 1) * seconds,
      is_new = not is_current,
    })
  end
end
-- Nil where calls cost no quota; its `used` is nil until something says what was used before.
local quota = asked.limits.month ~= cjson.null and {
  name = 'month',
  most = asked.limits.month,
  at = month,
  used = stored[8] == month and tonumber(stored[7]) or nil,
  ends = next_first * 86400,
  is_new = stored[8] ~= month,
} or nil
if quota then table.insert(holding, quota) end

-- How many more calls each window has room for, and the answer to those for whom one has none. Of
-- several full ones it names the one that opens last, so that waiting for it is enough.
local admitted = 0
local room, refusal
local function measure()
  room, refusal = math.huge, nil
  for _, window in ipairs(holding) do
    local left = math.max(0, window.most - (window.used or 0) - admitted)
    room = math.min(room, left)
    if left == 0 then
      local wait = math.max(1, window.ends - now)
      refusal = { verdict = 'refused', window = window.name, limit = window.most, wait = wait }
    end
  end
end
measure()

-- A seed says what was used of the month at least, so it is set where nothing is, and never lowers
-- or adds.
local is_seeded = false
local function sow(seed)
  if not seed or seed.month ~= month then return end
  -- What this batch has taken is on top of what was used.
  local calls = seed.calls - admitted
  if quota.used and quota.used >= calls then return end
  quota.used = calls
  is_seeded = true
  measure()
end

local ADMITTED = { verdict = 'admitted', month = quota and month or '' }
local UNSEEDED = { verdict = 'unseeded', month = month }
local RELEASED = { verdict = 'released' }
local UNCOUNTED = { verdict = 'uncounted' }

local function count(place, seed)
  if #kept > 0 and given_up[tostring(place)] then return RELEASED end
  if quota then
    sow(seed)
    if not quota.used then return UNSEEDED end
  end
  if room <= 0 then return refusal end
  admitted = admitted + 1
  room = room - 1
  if room <= 0 then measure() end
  return ADMITTED
end

-- Keeps a live session alive and answers its version, or why it is none.
local function look_after(key, session)
  local credential, version = unpack(redis.call('HMGET', key, 'credential', 'version'))
  if credential ~= session.credential then return { status = 'gone' } end
  if session.version and session.version ~= version then return { status = 'version_mismatch' } end
  redis.call('EXPIRE', key, session.lifetime_seconds)
  return { status = 'live', version = version or '' }
end

local sessions = {}
for at, session in ipairs(asked.sessions) do sessions[at] = look_after(KEYS[at + 2], session) end
local calls, place, last = {}, 0, nil
for _, alike in ipairs(asked.calls) do
  local times, call = unpack(alike)
  local session = call.session and sessions[call.session + 1]
  local is_countable = not session or session.status == 'live'
  for _ = 1, times do
    place = place + 1
    local answer = is_countable and count(place, call.seed) or UNCOUNTED
    if last and last[2] == answer then
      last[1] = last[1] + 1
    else
      last = { 1, answer }
      table.insert(calls, last)
    end
  end
end

-- Mostly all are admitted, which fits into a small hash this way: half the memory.
local text = cjson.encode({ sessions = #sessions > 0 and sessions or nil, calls = calls })
redis.call('HSET', batch, 'answers', text, 'minute', tostring(minute))
-- What was given up is remembered as long as a call that was admitted.
local is_long = admitted > 0 or #kept > 0
redis.call('EXPIRE', batch, is_long and REMEMBER_ADMITTED or REMEMBER_REFUSED)

local fields, is_new = {}, false
for _, window in ipairs(holding) do
  if admitted > 0 or (window == quota and is_seeded) then
    table.insert(fields, window.name)
    table.insert(fields, window.used + admitted)
    if window.is_new then
      table.insert(fields, window.name .. '_at')
      table.insert(fields, window.at)
      is_new = true
    end
  end
end
if #fields > 0 then redis.call('HSET', counters, unpack(fields)) end
-- Each minute is new once, so whoever is counted keeps the counters.
if is_new then redis.call('EXPIRE', counters, KEEP_COUNTERS) end
return text
