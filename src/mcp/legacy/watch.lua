-- Subscribes a session to a resource, within the limit of the credential over all its sessions.
-- KEYS: session, what was seen, the credential's subscriptions
-- ARGV: session id, name of the entry, version, lifetime in seconds, limit, prefix of session keys
-- Returns: 'gone', 'full' or 'watched'
if redis.call('EXISTS', KEYS[1]) == 0 then return 'gone' end
local member = ARGV[1] .. ' ' .. ARGV[2]
if redis.call('SISMEMBER', KEYS[3], member) == 0 then
  if redis.call('SCARD', KEYS[3]) >= tonumber(ARGV[5]) then
    for _, other in ipairs(redis.call('SMEMBERS', KEYS[3])) do
      local sid = string.match(other, '^%S+')
      if redis.call('EXISTS', ARGV[6] .. sid) == 0 then redis.call('SREM', KEYS[3], other) end
    end
    if redis.call('SCARD', KEYS[3]) >= tonumber(ARGV[5]) then return 'full' end
  end
  redis.call('SADD', KEYS[3], member)
end
redis.call('EXPIRE', KEYS[3], ARGV[4])
if redis.call('HEXISTS', KEYS[2], ARGV[2]) == 0 then
  redis.call('HSET', KEYS[2], ARGV[2], ARGV[3] .. ':0')
end
redis.call('EXPIRE', KEYS[2], ARGV[4])
return 'watched'
