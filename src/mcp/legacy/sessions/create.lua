-- Creates a session; above the credential's limit, ends the least recently used ones.
-- KEYS: session, the credential's sessions
-- ARGV: session id, credential, version, initialize params, revisions, lifetime in seconds, limit,
--       prefix of session keys
local KEEP_INDEX = 90 * 86400

-- The remaining lifetime of a session shows when it was last used.
local live = {}
for _, sid in ipairs(redis.call('SMEMBERS', KEYS[2])) do
  local left = redis.call('PTTL', ARGV[8] .. sid)
  if left < 0 then
    redis.call('SREM', KEYS[2], sid)
  else
    table.insert(live, { left, sid })
  end
end
table.sort(live, function(a, b) return a[1] < b[1] end)
for at = 1, #live - tonumber(ARGV[7]) + 1 do
  local sid = live[at][2]
  local key = ARGV[8] .. sid
  redis.call('DEL', key, key .. ':seen', key .. ':streams', key .. ':cancelled')
  redis.call('SREM', KEYS[2], sid)
  redis.call('PUBLISH', key .. ':sig', '{"type":"end"}')
end

redis.call('HSET', KEYS[1], 'credential', ARGV[2], 'version', ARGV[3], 'init', ARGV[4],
  'revisions', ARGV[5])
redis.call('EXPIRE', KEYS[1], ARGV[6])
redis.call('SADD', KEYS[2], ARGV[1])
redis.call('EXPIRE', KEYS[2], KEEP_INDEX)
