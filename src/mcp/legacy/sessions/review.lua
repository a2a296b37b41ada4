-- Compares what a credential sees now with the session's known digests, for one stream of the
-- session, which then holds it.
-- KEYS: session, its known digests
-- ARGV: stream id, ms until the holder expires, lifetime in seconds,
--       'claim' (the newest stream: takes over the session) or 'hold', the number after which
--       earlier changes are returned again ('' for none), '1' if a name without an entry counts as
--       changed, then names and digests
-- Returns: 'gone' | 'elsewhere' | 'held', the last number, then name, number, name, number, …
local stored = redis.call('HMGET', KEYS[1], 'credential', 'holder', 'holder_until')
if not stored[1] then return { 'gone' } end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local claims = ARGV[4] == 'claim'
if not claims and stored[2] ~= ARGV[1] and stored[3] and tonumber(stored[3]) > now then
  return { 'elsewhere', redis.call('HGET', KEYS[1], 'seq') or '0' }
end
redis.call('HSET', KEYS[1], 'holder', ARGV[1], 'holder_until', now + ARGV[2])

local after = tonumber(ARGV[5]) or math.huge
local answer = { 'held', '' }
for at = 7, #ARGV, 2 do
  local name, digest = ARGV[at], ARGV[at + 1]
  local seen = redis.call('HGET', KEYS[2], name)
  local known, number
  if seen then
    known, number = string.match(seen, '^(.*):(%d+)$')
    number = tonumber(number)
  end
  if known ~= digest and (seen or ARGV[6] == '1') then
    number = redis.call('HINCRBY', KEYS[1], 'seq', 1)
    redis.call('HSET', KEYS[2], name, digest .. ':' .. number)
    table.insert(answer, name)
    table.insert(answer, tostring(number))
  elseif not seen then
    redis.call('HSET', KEYS[2], name, digest .. ':0')
  elseif number > after then
    table.insert(answer, name)
    table.insert(answer, tostring(number))
  end
end
answer[2] = redis.call('HGET', KEYS[1], 'seq') or '0'
redis.call('EXPIRE', KEYS[2], ARGV[3])
return answer
