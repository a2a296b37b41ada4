-- Checks every window and the month for each call in order, then adds 1 to all of them or to none.
-- KEYS: the batch, then the counters and the session of each call
-- ARGV: one JSON text, `BatchEntry[]` in admission-batch.ts, which is cheaper than many arguments
-- Returns one JSON text, `BatchReply` in admission-batch.ts
local REMEMBER_ADMITTED = 600
-- Shorter, since only memory limits the number of refusals an owner can cause.
local REMEMBER_REFUSED = 30
local KEEP_COUNTERS = 40 * 86400

-- The answers if this batch was executed before; otherwise the indices of calls released already.
local batch = KEYS[1]
local remembered = redis.call('GET', batch)
local released = {}
if remembered then
  local known = cjson.decode(remembered)
  if known.calls then return remembered end
  released = known.released
end

local now = tonumber(redis.call('TIME')[1])
local month, next_first = month_of(floor(now / 86400))

-- Ordered from the minute to the month; `at` is a string, as it is stored.
local windows = {}
for at, window in ipairs(WINDOWS) do
  local name, seconds = unpack(window)
  local number = floor(now / seconds)
  windows[at] = { name = name, at = tostring(number), expiry = (number + 1) * seconds }
end
table.insert(windows, { name = 'month', at = month, expiry = next_first * 86400 })

-- Calls in each window by its index; nil for a month whose counter is not in Redis.
local read = {}
local function read_counters(key)
  local counters = read[key]
  if counters then return counters end
  local stored = stored_in(key, FIELDS)
  counters = { used = {}, changed = {}, is_new = stored[2] ~= windows[1].at }
  for at, window in ipairs(windows) do
    if stored[2 * at] == window.at then
      counters.used[at] = tonumber(stored[2 * at - 1])
    end
    if not counters.used[at] and window.name ~= 'month' then counters.used[at] = 0 end
  end
  read[key] = counters
  return counters
end

local function set(counters, at, used)
  counters.used[at] = used
  counters.changed[at] = true
end

local MONTH = #windows
local admitted = 0
local ADMITTED = { verdict = 'admitted', month = month }
local ADMITTED_FREE = { verdict = 'admitted', month = '' }
local UNSEEDED = { verdict = 'unseeded', month = month }
local UNCOUNTED = { verdict = 'uncounted' }
local RELEASED = { verdict = 'released' }

-- Equal refusals share one table, like the constants, so that a batch stores each answer once.
local refusals = {}
local function refused(window, limit, wait)
  local name = window .. ' ' .. limit .. ' ' .. wait
  refusals[name] = refusals[name]
    or { verdict = 'refused', window = window, limit = limit, wait = wait }
  return refusals[name]
end

local function count(call)
  local counters = read_counters(KEYS[call.counters])
  local limits, used = call.limits, counters.used
  local costs_quota = limits.month ~= cjson.null
  if costs_quota then
    -- A seed is a lower bound of the month's calls: it may raise the counter to this number, but
    -- never lowers it.
    local seed = call.seed
    if seed and seed.month == month and (used[MONTH] or -1) < seed.calls then
      set(counters, MONTH, seed.calls)
    end
    if not used[MONTH] then return UNSEEDED end
  end
  -- If several windows are full, report the one that opens last, so that waiting for it is enough.
  local refusal
  for at, window in ipairs(windows) do
    local limit = limits[window.name]
    if limit ~= cjson.null and used[at] >= limit then
      refusal = refused(window.name, limit, math.max(1, window.expiry - now))
    end
  end
  if refusal then return refusal end
  for at, window in ipairs(windows) do
    if limits[window.name] ~= cjson.null then set(counters, at, used[at] + 1) end
  end
  admitted = admitted + 1
  return costs_quota and ADMITTED or ADMITTED_FREE
end

local NO_SESSION = {}
local GONE = { status = 'gone' }
local MISMATCH = { status = 'version_mismatch' }
local live = {}

-- Extends the lifetime of a live session. Returns its state: live with its version, or why not.
local function renew_session(session)
  local key = KEYS[session.key]
  local credential, version = unpack(stored_in(key, { 'credential', 'version' }))
  if credential ~= session.credential then return GONE end
  if session.version and session.version ~= version then return MISMATCH end
  redis.call('EXPIRE', key, session.lifetime_seconds)
  version = version or ''
  live[version] = live[version] or { status = 'live', version = version }
  return live[version]
end

local function decide(index, call, session)
  if session ~= NO_SESSION and session.status ~= 'live' then return UNCOUNTED end
  if released[tostring(index)] then return RELEASED end
  return count(call)
end

-- Each distinct answer is stored once, and each call refers to its answer: otherwise every repeated
-- refusal of one owner would be stored as long as the admitted calls of others in the batch.
local calls, answers, indices = {}, {}, {}
for index, call in ipairs(cjson.decode(ARGV[1])) do
  local session = call.session and renew_session(call.session) or NO_SESSION
  local answer = decide(index, call, session)
  local by_session = indices[answer] or {}
  indices[answer] = by_session
  if not by_session[session] then
    table.insert(answers, { answer = answer, session = session ~= NO_SESSION and session or nil })
    by_session[session] = #answers
  end
  calls[index] = by_session[session]
end

local text = cjson.encode({ now = now, answers = answers, calls = calls })
-- Releases are remembered for as long as admitted calls.
local is_long = admitted > 0 or remembered
redis.call('SET', batch, text, 'EX', is_long and REMEMBER_ADMITTED or REMEMBER_REFUSED)

for key, counters in pairs(read) do
  local fields = {}
  for at in pairs(counters.changed) do
    local window = windows[at]
    table.insert(fields, window.name)
    table.insert(fields, counters.used[at])
    table.insert(fields, window.name .. '_at')
    table.insert(fields, window.at)
  end
  if #fields > 0 then
    redis.call('HSET', key, unpack(fields))
    -- Renewed with the first counted call of each minute, so that counters in use never expire.
    if counters.is_new then redis.call('EXPIRE', key, KEEP_COUNTERS) end
  end
end
return text
