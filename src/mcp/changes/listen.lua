-- Adds a credential's listen stream and the resources that it watches, or renews the stream.
-- KEYS: the credential's listen streams, its subscriptions
-- ARGV: stream id, number of resources to watch, '1' to renew, ms until a stream that is not
--       renewed expires, limit of streams, limit of resources in both protocol versions, prefix of
--       session keys
-- Returns: 'full', or the number of resources that the stream may watch
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local granted = tonumber(ARGV[2])
if ARGV[3] ~= '1' then
  if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[5]) then return 'full' end
  local left = tonumber(ARGV[6])
  for _, stream in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
    left = left - (string.match(stream, ' (%d+)$') or 0)
  end
  if left - redis.call('SCARD', KEYS[2]) < granted then
    for _, subscription in ipairs(redis.call('SMEMBERS', KEYS[2])) do
      local sid = string.match(subscription, '^%S+')
      if redis.call('EXISTS', ARGV[7] .. sid) == 0 then redis.call('SREM', KEYS[2], subscription) end
    end
  end
  granted = math.max(0, math.min(granted, left - redis.call('SCARD', KEYS[2])))
end
redis.call('ZADD', KEYS[1], now + ARGV[4], ARGV[1] .. ' ' .. granted)
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return tostring(granted)
