-- Subscribes a session to a resource, within the credential's limit for all its sessions and listen
-- streams together.
-- KEYS: session, its known digests, the credential's subscriptions, its listen streams
-- ARGV: session id, name of the entry, version, lifetime in seconds, limit, prefix of session keys
-- Returns: 'gone', 'full' or 'watched'
if redis.call('EXISTS', KEYS[1]) == 0 then return 'gone' end
local member = ARGV[1] .. ' ' .. ARGV[2]
if redis.call('SISMEMBER', KEYS[3], member) == 0 then
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local limit = tonumber(ARGV[5])
  for _, stream in ipairs(redis.call('ZRANGEBYSCORE', KEYS[4], now, '+inf')) do
    limit = limit - (string.match(stream, ' (%d+)$') or 0)
  end
  if redis.call('SCARD', KEYS[3]) >= limit then
    for _, other in ipairs(redis.call('SMEMBERS', KEYS[3])) do
      local sid = string.match(other, '^%S+')
      if redis.call('EXISTS', ARGV[6] .. sid) == 0 then redis.call('SREM', KEYS[3], other) end
    end
    if redis.call('SCARD', KEYS[3]) >= limit then return 'full' end
  end
  redis.call('SADD', KEYS[3], member)
end
redis.call('EXPIRE', KEYS[3], ARGV[4])
if redis.call('HEXISTS', KEYS[2], ARGV[2]) == 0 then
  redis.call('HSET', KEYS[2], ARGV[2], ARGV[3] .. ':0')
end
redis.call('EXPIRE', KEYS[2], ARGV[4])
return 'watched'
